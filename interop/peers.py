"""The peers: what is installed, how each is started, and how to speak to it.

A client peer is a process that answers one JSON call a line; a server peer is a process that prints
``READY <port>`` and ends when its standard input is closed. Castile's own two are such processes too, so
that nothing of it runs inside the harness.
"""

from __future__ import annotations

import functools
import json
import os
import queue
import shutil
import subprocess
import threading
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"
PYTHON = BUILD / "venv" / "bin" / "python"
CASTILE_PYTHON = Path(os.environ.get("CASTILE_PYTHON", HERE.parent / ".venv" / "bin" / "python"))
CASTILE_COMMAND = Path(os.environ.get("CASTILE", CASTILE_PYTHON.parent / "castile"))
INSTALL = "interop/install-peers.sh"
ANSWER_SECONDS_MAX = 60.0
START_SECONDS_MAX = 60.0
# `addressed` is `interop` where WS-Addressing is required (test_addressing.py); `every` has one operation
# with every simple type (test_padding.py).
PATHS = {"interop": "soap", "rpc": "rpc", "shapes": "shapes", "addressed": "addressed", "every": "every"}
# A JVM that lives for one session starts sooner without its best compiler; the JDK's server waits 40 ms
# before the second part of a reply unless it is told not to; CXF sends replies elsewhere only if it may.
JVM = (
    "-XX:TieredStopAtLevel=1",
    "-Dsun.net.httpserver.nodelay=true",
    "-Dorg.apache.cxf.ws.addressing.decoupled.enabled=true",
)


@dataclass(frozen=True)
class Peer:
    """One toolkit in one role, and where it is installed here, or why not."""

    name: str
    role: str
    command: tuple[str, ...]
    missing: str | None = None
    impossible: bool = False  # missing, and no installing can help on this machine
    environment: dict[str, str] = field(default_factory=dict, hash=False)


def _python(name: str, role: str, python: Path = PYTHON) -> Peer:
    command = (str(python), str(HERE / "peers" / name / f"{role}.py"))
    if _imports(python, name):
        return Peer(name, role, command)
    if name == "castile":
        return Peer(name, role, command, f"{python} has no castile (make build)")
    if name == "spyne" and python.exists() and not list(python.parent.parent.glob("lib/python3.11")):
        return Peer(name, role, command, "spyne 2.14 needs Python 3.11", impossible=True)
    return Peer(name, role, command, f"{name} is not installed ({INSTALL})")


@functools.cache
def _imports(python: Path, package: str) -> bool:
    if not python.exists():
        return False
    return subprocess.run((str(python), "-c", f"import {package}"), capture_output=True).returncode == 0


# The one that install-peers.sh put here, else the system's.
NODE = shutil.which("node", path=str(PYTHON.parent)) or shutil.which("node") or ""


def _node(role: str) -> Peer:
    modules = BUILD / "node-soap" / "node_modules"
    command = (NODE, str(HERE / "peers" / "node-soap" / f"{role}.js"))
    missing = None if NODE and (modules / "soap").exists() else f"node-soap is not installed ({INSTALL})"
    return Peer("node-soap", role, command, missing, environment={"NODE_PATH": str(modules)})


def _gsoap(role: str) -> Peer:
    program = BUILD / "gsoap" / role
    missing = None if program.exists() else f"gSOAP is not installed ({INSTALL})"
    return Peer("gsoap", role, (str(program),), missing)


def _rust(role: str) -> Peer:
    program = BUILD / "castile-rust" / "debug" / role
    missing = None if program.exists() else "Castile's Rust peers are not built (make -C interop)"
    environment = {"INTEROP_FOLDER": str(HERE)}
    return Peer("castile-rust", role, (str(program),), missing, environment=environment)


def _command(role: str) -> Peer:
    script = str(HERE / "peers" / "castile-cli" / f"{role}.py")
    missing = None if CASTILE_COMMAND.exists() else f"there is no {CASTILE_COMMAND} (make build)"
    environment = {"CASTILE_COMMAND": str(CASTILE_COMMAND)}
    return Peer("castile-cli", role, (str(PYTHON), script), missing, environment=environment)


def _jaxws(name: str, role: str) -> Peer:
    """CXF and Metro are driven by the same programs, each with the classes that it generated."""
    folder = BUILD / name
    classes = os.pathsep.join((f"{folder}/classes", f"{folder}/lib/*"))
    command = (shutil.which("java") or "java", *JVM, "-cp", classes, f"interop.{role.capitalize()}")
    missing = None if (folder / "ready").exists() else f"{name} is not installed ({INSTALL})"
    return Peer(name, role, command, missing)


def is_castile(name: str) -> bool:
    """Whether a peer is ours: the Python front (castile), the crate (-rust), or the command (-cli)."""
    return name.startswith("castile")


CLIENTS = {
    "castile": _python("castile", "client", CASTILE_PYTHON),
    "castile-cli": _command("client"),
    "castile-rust": _rust("client"),
    "gsoap": _gsoap("client"),
    "zeep": _python("zeep", "client"),
    "node-soap": _node("client"),
    "cxf": _jaxws("cxf", "client"),
    "metro": _jaxws("metro", "client"),
}
SERVERS = {
    "castile": _python("castile", "server", CASTILE_PYTHON),
    "castile-cli": _command("server"),
    "castile-rust": _rust("server"),
    "gsoap": _gsoap("server"),
    "spyne": _python("spyne", "server"),
    "node-soap": _node("server"),
    "cxf": _jaxws("cxf", "server"),
    "metro": _jaxws("metro", "server"),
}


def _encoded(role: str) -> Peer:
    """Castile's."""
    script = HERE / "peers" / "castile" / f"encoded_{role}.py"
    missing = None if _imports(CASTILE_PYTHON, "castile") else f"{CASTILE_PYTHON} has no castile (make build)"
    return Peer("castile", f"encoded-{role}", (str(CASTILE_PYTHON), str(script)), missing)


def _axis(role: str) -> Peer:
    """Apache Axis 1.4, which knows nothing but SOAP encoding well."""
    folder = BUILD / "axis"
    classes = os.pathsep.join((f"{folder}/lib/*", f"{folder}/classes"))
    command = (shutil.which("java") or "java", "-cp", classes, f"interop.encoded.{role.capitalize()}")
    if role == "server":
        command = (*command, *(str(folder / f"{name}.wsdd") for name in ("encoded", "every", "maps")))
    missing = None if (folder / "ready").exists() else f"Axis is not installed ({INSTALL})"
    return Peer("axis", role, command, missing)


def _encoded_by(peer: Peer, *command: str) -> Peer:
    """The same toolkit with its program for encoded.wsdl."""
    return replace(peer, role=f"encoded-{peer.role}", command=command)


# Those of encoded.wsdl (test_encoded.py).
ENCODED_CLIENTS = {
    "castile": _encoded("client"),
    "axis": _axis("client"),
    "gsoap": _encoded_by(_gsoap("client"), str(BUILD / "gsoap" / "encoded" / "client")),
    "node-soap": _encoded_by(_node("client"), NODE, str(HERE / "peers" / "node-soap" / "encoded_client.js")),
    "zeep": _encoded_by(
        _python("zeep", "client"), str(PYTHON), str(HERE / "peers" / "zeep" / "encoded_client.py")
    ),
}
ENCODED_SERVERS = {
    "castile": _encoded("server"),
    "axis": _axis("server"),
    "gsoap": _encoded_by(_gsoap("server"), str(BUILD / "gsoap" / "encoded" / "server")),
    "node-soap": _encoded_by(_node("server"), NODE, str(HERE / "peers" / "node-soap" / "encoded_server.js")),
}
ENCODED_PATHS = {"axis": "/axis/services/EncodedPort", "node-soap": "/encoded"}


def _script(peer: Peer, python: Path, name: str) -> Peer:
    """The same toolkit with another of its Python programs."""
    return replace(peer, role=name, command=(str(python), str(HERE / "peers" / peer.name / f"{name}.py")))


# Those of maps.wsdl (test_maps.py).
MAPS_CLIENTS = {
    "castile": _script(_python("castile", "client", CASTILE_PYTHON), CASTILE_PYTHON, "maps_client"),
    "axis": replace(_axis("client"), command=(*_axis("client").command[:-1], "interop.maps.MapsClient")),
}
MAPS_SERVERS = {
    "castile": _script(_python("castile", "server", CASTILE_PYTHON), CASTILE_PYTHON, "maps_server"),
    "axis": _axis("server"),
}
MAPS_PATHS = {"castile": "/", "axis": "/axis/services/Maps"}


def _secured(role: str) -> dict[str, Peer]:
    """Those of test_security.py: "result", "fault" or "error" for a call of echoString."""
    name = f"secured_{role}"
    node, cxf = _node(role), _jaxws("cxf", role)
    made = {
        "castile": _script(_python("castile", role, CASTILE_PYTHON), CASTILE_PYTHON, name),
        "cxf": replace(cxf, role=name, command=(*cxf.command[:-1], f"interop.Secured{role.capitalize()}")),
        "node-soap": replace(
            node, role=name, command=(NODE, str(HERE / "peers" / "node-soap" / f"{name}.js"))
        ),
    }
    return made if role == "server" else {**made, "zeep": _script(_python("zeep", role), PYTHON, name)}


SECURED_CLIENTS = _secured("client")
SECURED_SERVERS = _secured("server")


def _header_fault(role: str) -> dict[str, Peer]:
    """Those of test_header_faults.py: "result", or "fault" and "header", for a call of ask."""
    name = f"header_fault_{role}"
    made = {"castile": _script(_python("castile", role, CASTILE_PYTHON), CASTILE_PYTHON, name)}
    for toolkit in ("cxf", "metro"):
        peer = _jaxws(toolkit, role)
        program = f"interop.HeaderFault{role.capitalize()}"
        made[toolkit] = replace(peer, role=name, command=(*peer.command[:-1], program))
    return made


HEADER_FAULT_CLIENTS = _header_fault("client")
HEADER_FAULT_SERVERS = _header_fault("server")


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
    """A server; one that serves the contracts on ports of their own says all, in the order of PATHS."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)
        word, *ports = self.line(START_SECONDS_MAX).split()
        if word != "READY":
            raise PeerError(f"{peer.name} server said {word!r} instead of READY")
        self.ports = {name: int(port) for name, port in zip_longest(PATHS, ports, fillvalue=ports[0])}

    def url(self, contract: str, version: str) -> str:
        path = PATHS[contract] + version.replace(".", "")
        return f"http://127.0.0.1:{self.ports[contract]}/{path}"
