# For scripts that need a server: `start_server PROGRAM [COMMAND…]` starts it with an empty home and a free
# port, sets `server`, `home` and `address`, and has both gone at the end. The command is `http-server`
# unless given.

cleanup() {
  [ -n "${server:-}" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
  rm -rf "$home"
}

start_server() {
  local program=$1
  shift
  [ $# -gt 0 ] || set -- http-server
  home=$(mktemp -d)
  trap cleanup EXIT
  env -i HOME="$home" PATH="$PATH" "$program" "$@" --port 0 >"$home/out" 2>"$home/err" &
  server=$!
  address=
  for _ in $(seq 100); do
    address=$(grep -ohE 'http://[0-9.]+:[0-9]+(/[a-z]+)?' "$home/out" "$home/err" | head -n1 || true)
    [ -n "$address" ] && return
    kill -0 "$server" 2>/dev/null || { cat "$home/err" >&2; exit 1; }
    sleep 0.1
  done
  echo "the server does not say where it listens" >&2
  exit 1
}
