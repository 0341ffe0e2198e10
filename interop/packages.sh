#!/usr/bin/env bash
# packages.sh PACKAGE...: installs the packages of the system that are missing, as root or by sudo without a password.
# Status 1, with the packages named, where it may not. The interop and the benchmark suite use it.
set -euo pipefail

if ! command -v apt-get >/dev/null; then
    echo "packages: no apt-get here. These must come from your system's own package manager: $*" >&2
    exit 1
fi

# Whether a package is there, or what it is wanted for came another way.
there() {
    dpkg -s "$1" >/dev/null 2>&1 && return
    case $1 in
        default-jdk-headless) command -v javac ;;
        golang-go) command -v go ;;
        g++ | make) command -v "$1" ;;
        maven) command -v mvn ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        *) false ;;
    esac >/dev/null
}

wanted=()
for package in "$@"; do
    there "$package" || wanted+=("$package")
done
[ ${#wanted[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo)
else
    echo "packages: neither root nor sudo without a password. Please have these installed: ${wanted[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${wanted[@]}"
