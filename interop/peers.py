"""The peers: what is installed, how each is started, and how to speak to it.

A client peer is a process that answers one JSON call a line; a server peer is a process that prints
``READY <port>`` and ends when its standard input is closed. Castile's own two are such processes too, so
that nothing of it runs inside the harness.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"
PYTHON = BUILD / "venv" / "bin" / "python"
CASTILE_PYTHON = Path(os.environ.get("CASTILE_PYTHON", HERE.parent / ".venv" / "bin" / "python"))
ANSWER_SECONDS_MAX = 60.0
START_SECONDS_MAX = 30.0


@dataclass(frozen=True)
class Peer:
    """One toolkit in one role. `needs` must all exist, else the peer counts as not installed."""

    name: str
    role: str
    command: tuple[str, ...]
    needs: tuple[Path, ...]
    environment: dict[str, str] = field(default_factory=dict, hash=False)

    def missing(self) -> str | None:
        """Why this peer can't run here, or None."""
        absent = [str(path) for path in self.needs if not path.exists()]
        if absent:
            return f"{self.name} is not installed: no {', '.join(absent)} (interop/install-peers.sh)"
        if self.role and shutil.which(self.command[0]) is None:
            return f"{self.name} is not installed: no {self.command[0]} on the path"
        return None


def _python(name: str, role: str, python: Path = PYTHON) -> Peer:
    script = HERE / "peers" / name / f"{role}.py"
    package = "castile" if name == "castile" else name
    needs = (python, *python.parent.parent.glob(f"lib/python3*/site-packages/{package}"))
    if len(needs) == 1:
        needs = (python, python.parent.parent / "lib" / "site-packages" / package)
    return Peer(name, role, (str(python), str(script)), (*needs, script))


def _node(role: str) -> Peer:
    script = HERE / "peers" / "node-soap" / f"{role}.js"
    modules = BUILD / "node-soap" / "node_modules"
    return Peer("node-soap", role, ("node", str(script)), (modules / "soap", script), {"NODE_PATH": str(modules)})


def _gsoap(role: str) -> Peer:
    program = BUILD / "gsoap" / role
    return Peer("gsoap", role, (str(program),), (program,))


CASTILE = {"client": _python("castile", "client", CASTILE_PYTHON), "server": _python("castile", "server", CASTILE_PYTHON)}
CLIENTS = {p.name: p for p in (CASTILE["client"], _gsoap("client"), _python("zeep", "client"), _node("client"))}
SERVERS = {p.name: p for p in (CASTILE["server"], _gsoap("server"), _python("spyne", "server"), _node("server"))}


class Process:
    """A running peer; its standard error goes to interop/build/log and is quoted when it dies."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        logs = BUILD / "log"
        logs.mkdir(parents=True, exist_ok=True)
        self.log = logs / f"{peer.name}-{peer.role}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                peer.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env={**os.environ, **peer.environment},
            )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def line(self, seconds: float) -> str:
        """The next line it prints; an error when it dies or stays silent."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.stop()
            raise PeerError(f"{self.peer.name} {self.peer.role} said nothing for {seconds:g} s") from None
        if line is None:
            tail = self.log.read_text(errors="replace")[-2000:]
            raise PeerError(f"{self.peer.name} {self.peer.role} ended with {self.process.wait()}:\n{tail}")
        return line

    def stop(self) -> None:
        """Closes its input, which asks it to end; insists after five seconds."""
        if self.process.poll() is not None:
            return
        self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class PeerError(Exception):
    """The peer process itself failed, as opposed to the call."""


class Client(Process):
    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.process.poll() is not None:
            raise PeerError(f"{self.peer.name} client is gone")
        self.process.stdin.write(json.dumps(request) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        answer: dict[str, Any] = json.loads(self.line(ANSWER_SECONDS_MAX))
        return answer


class Server(Process):
    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)
        word, _, port = self.line(START_SECONDS_MAX).partition(" ")
        if word != "READY":
            raise PeerError(f"{peer.name} server said {word!r} instead of READY")
        self.port = int(port)

    def url(self, contract: str, version: str) -> str:
        path = "rpc11" if contract == "rpc" else "soap" + version.replace(".", "")
        return f"http://127.0.0.1:{self.port}/{path}"
