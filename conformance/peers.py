"""What zeep and gSOAP's wsdl2h make of WSDLs: the columns of `tolerance.tsv` that are theirs.

    python conformance/peers.py TESTDATA < lines-without-these-columns > conformance/tolerance.tsv

Reads lines of file, our outcome, `?`, `?` and our words, as the conformance run prints them, and fills in the
question marks. Neither peer is given the network. wsdl2h is run as a program; without it its column is `-`.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import zeep
import zeep.exceptions
import zeep.transports


class Offline(zeep.transports.Transport):
    """Loads files only."""

    def load(self, url: str) -> bytes:
        if url.startswith(("http:", "https:", "ftp:")):
            raise OSError("no network")
        return super().load(url)


def by_zeep(path: pathlib.Path) -> str:
    try:
        document = zeep.Client(str(path), transport=Offline()).wsdl
        operations = [o for b in document.bindings.values() for o in b.all().values()]
    except Exception:  # Whatever it raises, it does not load.
        return "refused"
    usable = 0
    for operation in operations:
        try:
            operation.input.signature(as_output=False)
            usable += 1
        except Exception:  # The same for one operation.
            pass
    return verdict(usable, len(operations))


def by_wsdl2h(path: pathlib.Path) -> str:
    program = shutil.which("wsdl2h")
    if program is None:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, "out.h")
        command = [program, "-x", "-o", str(header), f"-I{path.parent}", path.name]
        try:
            done = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return "refused"
        if done.returncode != 0 or not header.is_file():
            return "refused"
        methods = re.findall(r"service method-protocol", header.read_text(errors="replace"))
        return verdict(len(methods), len(methods))


def verdict(usable: int, known: int) -> str:
    if usable == 0:
        return "no operation usable"
    return "usable" if usable == known else "some operations usable"


def main() -> None:
    wsdls = pathlib.Path(sys.argv[1], "wsdl")
    for line in sys.stdin:
        if line.startswith("#"):
            sys.stdout.write(line)
            continue
        file, ours, _, _, why = line.rstrip("\n").split("\t")
        path = wsdls / file
        print(file, ours, by_zeep(path), by_wsdl2h(path), why, sep="\t", flush=True)


main()
