# For scripts that need Node.js 24 and packages of npm: `node_with FOLDER PACKAGE…` installs both below
# the folder, unless they are there, and puts them first in PATH. An older Node.js would silently get
# older packages, so the one of the machine only starts npm.

node_with() {
  local folder=$1
  shift
  if [ ! -e "$folder/installed" ]; then
    command -v npm >/dev/null || { echo "missing: npm (install Node.js)" >&2; exit 1; }
    mkdir -p "$folder"
    npm install --silent --no-audit --no-fund --prefix "$folder" node@24
    PATH="$folder/node_modules/.bin:$PATH" npm install --silent --no-audit --no-fund --prefix "$folder" "$@"
    touch "$folder/installed"
  fi
  PATH="$folder/node_modules/.bin:$PATH"
  export PATH
}
