"""Other toolkits read the contract that Castile makes of a Python class, and generate code from it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import peers
import pytest
from conftest import require

SERVICE = peers.HERE / "peers" / "castile" / "generated.py"
SECONDS_MAX = 120


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WSDL of a service that has every kind of type hint."""
    require(peers.SERVERS["castile"])
    made = tmp_path_factory.mktemp("generated") / "generated.wsdl"
    made.write_bytes(run(str(peers.CASTILE_PYTHON), str(SERVICE), folder=made.parent))
    return made


def run(*command: str, folder: Path) -> bytes:
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS_MAX)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-3000:]
    return done.stdout


def java(peer: str, folder: Path, *command: str) -> None:
    """Generates sources and compiles them."""
    jars = f"{peers.BUILD / peer / 'lib'}/*"
    run("java", "-cp", jars, *command, folder=folder)
    sources = [str(path) for path in folder.rglob("*.java")]
    assert sources
    run("javac", "-nowarn", "-proc:none", "-cp", jars, "-d", str(folder / "classes"), *sources, folder=folder)


def cxf(wsdl: Path, folder: Path) -> None:
    java("cxf", folder, "org.apache.cxf.tools.wsdlto.WSDLToJava", "-quiet", "-d", str(folder), str(wsdl))


def metro(wsdl: Path, folder: Path) -> None:
    java("metro", folder, "com.sun.tools.ws.WsImport", "-quiet", "-Xnocompile", "-s", str(folder), str(wsdl))


def gsoap(wsdl: Path, folder: Path) -> None:
    run("wsdl2h", "-o", "service.h", str(wsdl), folder=folder)
    run("soapcpp2", "-x", "-w", "-I/usr/share/gsoap/import", "service.h", folder=folder)
    run("g++", "-std=c++20", "-w", "-fsyntax-only", "soapClient.cpp", "soapServer.cpp", folder=folder)


def zeep(wsdl: Path, folder: Path) -> None:
    assert b"Operations:" in run(str(peers.PYTHON), "-m", "zeep", str(wsdl), folder=folder)


@pytest.mark.parametrize("read", [cxf, metro, gsoap, zeep], ids=lambda read: read.__name__)
def test_other_toolkits_read_it(read: Callable[[Path, Path], None], contract: Path, tmp_path: Path) -> None:
    require(peers.CLIENTS[read.__name__])
    read(contract, tmp_path)
