"""The mock server `castile serve --echo` as a server in the suite, one process a contract.

Prints "READY <port> <port of rpc> <port of shapes>" once it accepts; ends when its standard input is closed.
CASTILE_COMMAND names the command.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parents[2]


def serve(contract: str) -> tuple[subprocess.Popen[str], str]:
    """A mock of one contract, and its port, which its first line tells."""
    command = [
        os.environ["CASTILE_COMMAND"],
        "serve",
        str(HERE / f"{contract}.wsdl"),
        "--echo",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://[^:]+:(\d+)/", process.stdout.readline())
    if found is None:
        raise SystemExit(f"castile serve did not say where it serves {contract}")
    threading.Thread(target=drain, args=(process.stdout,), daemon=True).start()
    return process, found[1]


def drain(lines: IO[str]) -> None:
    """Reads the line that the mock prints for each call, so that it never waits for us."""
    for _ in lines:
        pass


def main() -> None:
    started = [serve(contract) for contract in ("interop", "rpc", "shapes")]
    print("READY", *(port for _, port in started), flush=True)
    sys.stdin.read()
    for process, _ in started:
        process.terminate()


main()
