#!/usr/bin/env bash
# Installs the foreign toolkits of the interop suite: gSOAP, a JDK and Maven by apt; zeep, spyne, node-soap,
# Axis, CXF and Metro into interop/build by pip, npm and Maven. Run it as often as you like: what is there is
# left alone.
set -euo pipefail
cd "$(dirname "$0")"

NODE_MAJOR_MIN=20
wanted=()
want() { dpkg -s "$1" >/dev/null 2>&1 || wanted+=("$1"); }

# What only the system's package manager can bring.
if command -v apt-get >/dev/null; then
    want gsoap
    want libgsoap-dev
    want nlohmann-json3-dev
    command -v javac >/dev/null || want default-jdk-headless
    command -v mvn >/dev/null || want maven
    command -v g++ >/dev/null || want g++
    command -v make >/dev/null || want make
    python3 -c 'import ensurepip, venv' 2>/dev/null || want python3-venv
    if [ ${#wanted[@]} -gt 0 ]; then
        if [ "$(id -u)" = 0 ]; then
            as_root=()
        elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo)
        else
            echo "install-peers: neither root nor sudo without a password. Please have these installed: ${wanted[*]}" >&2
            exit 1
        fi
        export DEBIAN_FRONTEND=noninteractive
        "${as_root[@]}" apt-get update -q
        "${as_root[@]}" apt-get install -q -y --no-install-recommends "${wanted[@]}"
    fi
else
    echo "install-peers: no apt-get here. gSOAP (wsdl2h, soapcpp2, libgsoap++), nlohmann-json, a C++20" >&2
    echo "install-peers: compiler and make must come from your system's own package manager." >&2
fi

make --no-print-directory build/venv/ready

# Node from PyPI where the system has none, or one too old for node-soap.
node_major() { node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/'; }
major=$(node_major)
if [ "${major:-0}" -lt "$NODE_MAJOR_MIN" ] || ! command -v npm >/dev/null; then
    [ -x build/venv/bin/npm ] || build/venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-node.txt
fi

make --no-print-directory toolkits
echo "install-peers: done"
