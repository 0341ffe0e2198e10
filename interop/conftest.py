"""Starts each peer once a session, and prints the matrix at the end."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeVar

import model
import peers
import pytest

P = TypeVar("P", bound=peers.Process)

# (client, server) -> outcome -> count; filled as tests end
tally: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))


class Running:
    """Peers started so far. One that dies is started again for the next test; one that can't start is not."""

    def __init__(self) -> None:
        self.processes: dict[str, peers.Process] = {}
        self.broken: dict[str, str] = {}
        self.ports: dict[str, int] = {}
        self.said: dict[str, list[str]] = {}

    def client(self, name: str) -> peers.Client:
        return self._running(peers.CLIENTS[name], peers.Client)

    def server(self, name: str) -> peers.Server:
        return self._running(peers.SERVERS[name], peers.Server)

    def port(self, peer: peers.Peer) -> int:
        """The port of a server of encoded.wsdl, which is started once."""
        require(peer)
        key = f"{peer.name} {peer.role}"
        if key not in self.ports:
            process = self.processes[key] = peers.Process(peer)
            word, port = process.line(peers.START_SECONDS_MAX).split()
            assert word == "READY"
            self.ports[key] = int(port)
        return self.ports[key]

    def addresses(self, peer: peers.Peer) -> list[str]:
        """What a server said after READY; it is started once."""
        require(peer)
        key = f"{peer.name} {peer.role}"
        if key not in self.said:
            process = self.processes[key] = peers.Process(peer)
            word, *self.said[key] = process.line(peers.START_SECONDS_MAX).split()
            assert word == "READY"
        return self.said[key]

    def ask(self, peer: peers.Peer, request: dict[str, Any]) -> dict[str, Any]:
        """What a client answers; it is started once."""
        return self._running(peer, peers.Client).call(request)

    def _running(self, peer: peers.Peer, start: type[P]) -> P:
        require(peer)
        key = f"{peer.name} {peer.role}"
        if key in self.broken:
            pytest.fail(self.broken[key], pytrace=False)
        process = self.processes.get(key)
        if process is None or process.process.poll() is not None:
            try:
                process = self.processes[key] = start(peer)
            except peers.PeerError as problem:
                self.broken[key] = str(problem)
                raise
        assert isinstance(process, start)
        return process

    def stop(self) -> None:
        for process in self.processes.values():
            process.stop()


def require(peer: peers.Peer) -> None:
    """Skips visibly, or fails under CASTILE_REQUIRE_PEERS=1, when `peer` is not installed."""
    if peer.missing:
        if os.environ.get("CASTILE_REQUIRE_PEERS") == "1" and not peer.impossible:
            pytest.fail(peer.missing, pytrace=False)
        pytest.skip(peer.missing)


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    peers.BUILD.mkdir(exist_ok=True)
    contracts = {name: model.as_json(model.load(name)) for name in model.NAMES}
    (peers.BUILD / "model.json").write_text(json.dumps(contracts), encoding="utf-8")
    started = Running()
    yield started
    started.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    pair = getattr(item, "callspec", None) and item.callspec.params.get("pair")
    if pair and (report.when == "call" or report.skipped):
        outcome = "ledger" if hasattr(report, "wasxfail") and report.skipped else report.outcome
        tally[pair][outcome] += 1
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not tally:
        return
    clients = sorted({client for client, _ in tally})
    servers = sorted({server for _, server in tally})
    write = terminalreporter.write_line
    terminalreporter.section("interop matrix")
    write("passed + known limits on the ledger (+ skipped, FAILED), client down, server across")
    write(f"{'':12}" + "".join(f"{server:>22}" for server in servers))
    for client in clients:
        write(f"{client:12}" + "".join(f"{_cell((client, server)):>22}" for server in servers))


def _cell(pair: tuple[str, str]) -> str:
    counts = tally.get(pair)
    if not counts:
        return "-"
    if set(counts) == {"skipped"}:
        return "skipped"
    text = f"{counts['passed']} + {counts['ledger']}"
    if counts["skipped"]:
        text += f" + {counts['skipped']} skipped"
    if counts["failed"]:
        text += f", {counts['failed']} FAILED"
    return text
