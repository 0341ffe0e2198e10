#!/usr/bin/env bash
# fetch-source.sh FOLDER: leaves stdsoap2.cpp and stdsoap2.h of the packaged gSOAP in FOLDER.
# The Debian packages hold only compiled libraries, so their source package is asked for, from the mirrors
# that this system already uses, with lists of its own and without root.
set -euo pipefail
into=$1
mkdir -p "$into/lists/partial"
cd "$into"

version=$(dpkg-query -W -f '${source:Version}' libgsoap-dev)
# The system's own sources, with deb turned into deb-src.
{ cat /etc/apt/sources.list 2>/dev/null || true; } | sed -n 's/^deb /deb-src /p' > sources.list
mkdir -p sources.list.d
for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" > "sources.list.d/$(basename "$file")"
done
options=(-q -o "Dir::Etc::sourcelist=$PWD/sources.list" -o "Dir::Etc::sourceparts=$PWD/sources.list.d"
    -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD" -o APT::Get::List-Cleanup=0)
# A mirror without source packages (a vendor's) only makes a complaint.
apt-get "${options[@]}" update || true
apt-get "${options[@]}" source --download-only "gsoap=$version"
tar -xf gsoap_*.orig.tar.* --strip-components=2 --wildcards '*/gsoap/stdsoap2.cpp' '*/gsoap/stdsoap2.h'
