#!/usr/bin/env bash
# Tries what packages the program: the systemd unit and the Dockerfile.
#
#   tests/packaging.sh            with target/release/aludel
#   tests/packaging.sh PROGRAM    with this program
#
# The unit is checked by systemd-analyze, and its ExecStart is run with its environment. The image
# is built and run where there is a docker daemon; elsewhere the steps of its last stage are carried
# out by hand below a temporary folder, and its server is started, asked and stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
unit=packaging/aludel.service
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
  printf 'packaging: %s\n' "$*" >&2
  exit 1
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until a server is healthy, by the command after the seconds.
until_healthy() {
  local seconds=$1
  shift
  for _ in $(seq $((seconds * 10))); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "no healthy server after $seconds s: $*"
}

stop_server() {
  kill -TERM "$server"
  wait "$server" || fail "the server ended with $?"
  server=
}

check_unit() {
  if ! command -v systemd-analyze >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends systemd; } >/dev/null 2>&1 || true
  fi
  if ! command -v systemd-analyze >/dev/null; then
    echo "skipped: systemd-analyze is not here and cannot be installed"
    return
  fi
  # The unit names the place where the program is installed, which need not be on this machine.
  local tried="$work/aludel.service"
  sed "s|/usr/local/bin/aludel|$program|" "$unit" >"$tried"
  systemd-analyze verify --man=no "$tried" 2>"$work/said" || fail "the unit is not valid: $(cat "$work/said")"
  if grep -q "$tried" "$work/said"; then fail "the unit has warnings: $(cat "$work/said")"; fi
  # From 0, locked up, to 10, open; systemd calls up to 2.5 OK.
  systemd-analyze security --offline=yes --threshold=20 --no-pager "$tried" >"$work/security" \
    || fail "the unit is exposed: $(tail -1 "$work/security")"
  echo "unit: $(tail -1 "$work/security")"
}

# Starts what the unit starts, with the environment that it sets, in a folder of the test.
run_unit() {
  local port command
  port=$(free_port)
  command=$(sed -n 's|^ExecStart=/usr/local/bin/aludel ||p' "$unit")
  [ -n "$command" ] || fail "the unit starts nothing"
  # shellcheck disable=SC2086
  env -i ALUDEL_HOME="$work/state" ALUDEL_SERVER__PORT="$port" "$program" $command 2>"$work/unit.log" &
  server=$!
  until_healthy 10 env -i ALUDEL_HOME="$work/state" "$program" health --url "http://127.0.0.1:$port"
  stop_server
  [ -z "$(find "$work/state" -maxdepth 0 -printf '%m' | grep -v 700)" ] || fail "the state folder is open to others"
  echo "unit: its command starts, is healthy and stops"
}

# The instructions of the Dockerfile's last stage, a line each.
last_stage() {
  sed -e '/^ *#/d' -e :a -e '/\\$/N; s/\\\n//; ta' Dockerfile | grep -v '^ *$' | tac | sed '/^FROM /q' | tac
}

# Carries the last stage out by hand: a root below $work, its user, its environment, its command.
image_by_hand() {
  local root="$work/root" port instruction arguments
  local -a variables=() entry=() check=()
  local user=
  mkdir -p "$root/usr/local/bin" "$root/etc"
  while read -r instruction arguments; do
    case $instruction in
      FROM | EXPOSE | STOPSIGNAL) ;;
      RUN)
        case $arguments in
          useradd*)
            # With --prefix, only files of the root are read and written.
            printf 'root:x:0:0::/root:/bin/sh\n' >"$root/etc/passwd"
            printf 'root:x:0:\n' >"$root/etc/group"
            printf 'root:*:::::::\n' >"$root/etc/shadow"
            printf 'root:*::\n' >"$root/etc/gshadow"
            bash -euc "${arguments/useradd/useradd --prefix $root}" || fail "RUN $arguments"
            ;;
          "install -d "*) bash -euc "${arguments% /*} $root/${arguments##* /}" || fail "RUN $arguments" ;;
          *) fail "RUN $arguments: a step that this script cannot try" ;;
        esac
        ;;
      COPY)
        [ "$arguments" = "--from=build /usr/local/bin/aludel /usr/local/bin/aludel" ] || fail "COPY $arguments"
        install -m 0755 "$program" "$root/usr/local/bin/aludel"
        ;;
      ENV) read -ra variables <<<"$arguments" ;;
      USER) user=$arguments ;;
      VOLUME) [ "$arguments" = '["/data"]' ] || fail "VOLUME $arguments" ;;
      ENTRYPOINT) mapfile -t entry < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), sep="\n")' "$arguments") ;;
      HEALTHCHECK) mapfile -t check < <(python3 -c 'import json, sys; print(*json.loads(sys.argv[1].split("CMD ", 1)[1]), sep="\n")' "$arguments") ;;
      *) fail "$instruction: an instruction that this script does not know" ;;
    esac
  done < <(last_stage)
  [[ $user =~ ^[1-9][0-9]*:[1-9][0-9]*$ ]] || fail "the image runs as $user, not as a numbered user without rights"
  grep -q "^aludel:.*:${user%:*}:" "$root/etc/passwd" || fail "the user $user is not made"
  [ "$(stat -c %u:%g "$root/data")" = "$user" ] || fail "/data is not the user's"
  [ "${#entry[@]}" -gt 0 ] && [ "${#check[@]}" -gt 0 ] || fail "no ENTRYPOINT or HEALTHCHECK"
  port=$(free_port)
  # The places of the image, moved below the root; the port, because 8080 may be taken here.
  local -a here=()
  for variable in "${variables[@]}"; do here+=("${variable/=\/data/=$root/data}"); done
  here+=("ALUDEL_SERVER__PORT=$port" "ALUDEL_SERVER__HOST=127.0.0.1")
  chmod 755 "$work" "$root"
  local -a as=(setpriv "--reuid=${user%:*}" "--regid=${user#*:}" --clear-groups --no-new-privs env -i "${here[@]}")
  [ "$(id -u)" = 0 ] || as=(env -i "${here[@]}")
  (cd "$root" && exec "${as[@]}" "${entry[@]/#\//$root/}") >"$work/image.log" 2>&1 &
  server=$!
  # The check passes with a server, and fails without.
  until_healthy 10 "${as[@]}" "${check[@]/#\//$root/}"
  stop_server
  if "${as[@]}" "${check[@]/#\//$root/}" >/dev/null 2>&1; then fail "the health check passes without a server"; fi
  echo "image: its last stage was carried out by hand; it starts as $user, is healthy and stops"
}

image_by_docker() {
  local name="aludel-packaging-$$" status=
  docker build --quiet --tag "$name" . >/dev/null
  docker run --detach --rm --name "$name" "$name" >/dev/null
  for _ in $(seq 60); do
    status=$(docker inspect --format '{{.State.Health.Status}}' "$name")
    if [ "$status" = healthy ]; then break; fi
    sleep 1
  done
  docker stop "$name" >/dev/null
  docker rmi "$name" >/dev/null
  [ "$status" = healthy ] || fail "the container is $status"
  echo "image: built by docker; it is healthy and stops"
}

[ -x "$program" ] || fail "$program is not there: cargo build --release"
check_unit
run_unit
image_by_hand
if docker info >/dev/null 2>&1; then image_by_docker; else echo "skipped: no docker daemon builds the image here"; fi
