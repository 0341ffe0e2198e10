#!/usr/bin/env bash
# Installs the packages of the system that the engines name, where that is allowed. Where it is not, they are told,
# and the engines that need them are reported as not installed.
set -euo pipefail
cd "$(dirname "$0")"

mapfile -t packages < <(sed -n 's/^packages = \[\(.*\)\].*/\1/p' ./*/engine.toml | tr -d '",' | tr -s ' ' '\n' | sort -u)
../../interop/packages.sh "${packages[@]}" || echo "install-packages: going on without them" >&2
