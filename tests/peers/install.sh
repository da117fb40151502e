#!/bin/sh
# Installs the MCP clients that the peer tests run, once for all configurations.
#   install.sh python      the Python SDK of requirements.txt
#   install.sh python1     the one of requirements-1.txt, whose first generation is still what most clients use
#   install.sh node        the TypeScript SDKs of package.json
# Prints the folder; what cannot be installed here is said on stderr, with exit status 77. Clients go to TS_PEERS_CACHE,
# by default build/peers, and are installed again when their pinned versions or the interpreter change.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${TS_PEERS_CACHE:-$here/../../build/peers}
kind=${1-}

skip() {
    printf 'skipped: %s\n' "$*" >&2
    exit 77
}

# The last words of the installer say best what went wrong.
failed() {
    tail -n 5 "$log" >&2
    skip "$1 (the whole story is in $log)"
}

install_python() {
    "$python" -m venv "$folder" >"$log" 2>&1 || failed 'no virtual environment could be made; is python3-venv there?'
    "$folder/bin/python" -m pip install --disable-pip-version-check --no-input --retries 1 --timeout 20 \
        -r "$pins" >>"$log" 2>&1 || failed 'pip could not install the Python SDK'
}

install_node() {
    mkdir -p "$folder"
    cp "$pins" "$folder/package.json"
    (cd "$folder" && npm install --ignore-scripts --no-audit --no-fund --no-package-lock --no-progress \
        --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000) >"$log" 2>&1 || failed 'npm could not install the TypeScript SDKs'
}

python=${PYTHON:-python3}
case $kind in
python | python1)
    pins=$here/requirements.txt
    [ "$kind" = python ] || pins=$here/requirements-1.txt
    command -v "$python" >/dev/null 2>&1 || skip "$python is not installed"
    interpreter=$("$python" --version)
    ;;
node)
    pins=$here/package.json
    command -v node >/dev/null 2>&1 || skip 'node is not installed'
    command -v npm >/dev/null 2>&1 || skip 'npm is not installed'
    interpreter=$(node --version)
    [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] ||
        skip "node is $interpreter, and the TypeScript SDKs need 20 or newer"
    ;;
*)
    printf 'install.sh takes python, python1 or node\n' >&2
    exit 2
    ;;
esac
command -v flock >/dev/null 2>&1 || skip 'flock is not installed'

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
folder=$cache/$kind
log=$cache/$kind.log
stamp=$cache/$kind.stamp
wanted="$interpreter
$(cat "$pins")"

exec 9>"$cache/$kind.lock"
flock 9
if [ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    rm -rf "$folder" "$stamp"
    case $kind in
    python*) install_python ;;
    node) install_node ;;
    esac
    printf '%s\n' "$wanted" >"$stamp"
fi
printf '%s\n' "$folder"
