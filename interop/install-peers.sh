#!/usr/bin/env bash
# Installs the foreign toolkits of the interop suite: gSOAP, a JDK and Maven by apt; zeep, spyne, node-soap,
# Axis, CXF and Metro into interop/build by pip, npm and Maven. Run it as often as you like: what is there is
# left alone.
set -euo pipefail
cd "$(dirname "$0")"

NODE_MAJOR_MIN=20

# What only the system's package manager can bring; Debian's names stand for any system's.
packages=(gsoap libgsoap-dev nlohmann-json3-dev default-jdk-headless maven g++ make python3-venv)
if command -v apt-get >/dev/null; then
    ./packages.sh "${packages[@]}"
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
