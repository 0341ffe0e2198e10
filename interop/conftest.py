"""Starts each peer once a session, and prints the matrix at the end."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

import pytest

import peers

# (client, server) -> outcome -> count; filled as tests end
tally: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))


class Running:
    """Peers started so far; one that dies is started again for the next test."""

    def __init__(self) -> None:
        self.clients: dict[str, peers.Client] = {}
        self.servers: dict[str, peers.Server] = {}

    def client(self, name: str) -> peers.Client:
        require(peers.CLIENTS[name])
        if name not in self.clients or self.clients[name].process.poll() is not None:
            self.clients[name] = peers.Client(peers.CLIENTS[name])
        return self.clients[name]

    def server(self, name: str) -> peers.Server:
        require(peers.SERVERS[name])
        if name not in self.servers or self.servers[name].process.poll() is not None:
            self.servers[name] = peers.Server(peers.SERVERS[name])
        return self.servers[name]


def require(peer: peers.Peer) -> None:
    """Skips visibly, or fails under CASTILE_REQUIRE_PEERS=1, when `peer` is not installed."""
    if reason := peer.missing():
        if os.environ.get("CASTILE_REQUIRE_PEERS") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    started = Running()
    yield started
    for process in (*started.clients.values(), *started.servers.values()):
        if process.process.poll() is None:
            process.stop()


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
        return "not installed"
    text = f"{counts['passed']} + {counts['ledger']}"
    if counts["skipped"]:
        text += f" + {counts['skipped']} skipped"
    if counts["failed"]:
        text += f", {counts['failed']} FAILED"
    return text
