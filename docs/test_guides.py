"""Runs the examples of README.md and the guides as a reader would, each document in a folder of its own.

- ```python blocks run one after another in one process; a comment after `print(...)` is what it prints.
- A ```python block with a line that begins with `castile.serve(` is a program of its own, which runs from
  there to the end.
- ```console blocks are commands after `$ ` with what they print; `...` stands for any text or lines; a
  command that ends in `&` runs to the end.
- Port 8080 becomes a free port, in the files too. Rust blocks run as doctests of the `castile` crate.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "docs" / "guides" / "files"  # what the examples find in their folder
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
SECONDS_MAX = 60.0

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block and the line on which it starts."""

    language: str
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    """The fenced blocks of a Markdown text, in order."""
    return [
        Block(found[1], found[2], document.count("\n", 0, found.start()) + 2)
        for found in FENCE.finditer(document)
    ]


def prompts(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it should print."""
    pairs = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        while command.endswith("\\"):
            more, _, printed = printed.partition("\n")
            command = command[:-1] + more.strip()
        pairs.append((command, printed))
    return pairs


def matches(expected: str, printed: str) -> bool:
    """Whether a text is as expected, where `...` stands for anything and space at ends of lines for none."""
    trimmed = "\n".join(line.rstrip() for line in expected.strip().splitlines())
    pattern = ".*".join(re.escape(piece) for piece in trimmed.split("..."))
    found = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, found, flags=re.DOTALL) is not None


class Reader:
    """Somebody who types in what a document says."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.port = folder, name, free_port()
        self.script = ""
        self.running: list[subprocess.Popen[str]] = []
        for file in folder.glob("*.wsdl"):
            file.write_text(
                file.read_text(encoding="utf-8").replace("8080", str(self.port)), encoding="utf-8"
            )

    def follow(self, block: Block) -> None:
        """Does what one block says."""
        text = block.text.replace("8080", str(self.port))
        if block.language == "python" and re.search(r"^castile\.serve\(", text, flags=re.MULTILINE):
            self.start([sys.executable, "-c", text], f"{self.name}:{block.line}")
        elif block.language == "python":
            self.python(text, block.line)
        elif block.language == "console":
            for command, printed in prompts(text):
                self.console(command, printed, block.line)

    def python(self, text: str, line: int) -> None:
        """Runs the document's Python so far with this block, and compares what the block prints."""
        mark = f"--- {line} ---"
        self.script += f"print({mark!r})\n{text}"
        done = self.run([sys.executable, "-c", self.script])
        assert done.returncode == 0, f"{self.name}:{line} failed:\n{done.stderr}"
        printed = done.stdout.split(f"{mark}\n")[1].splitlines()
        for expected in PRINTED.findall(text):
            found = printed.pop(0) if printed else "nothing"
            assert matches(expected, found), f"{self.name}:{line} prints {found!r}, not {expected!r}"

    def console(self, command: str, expected: str, line: int) -> None:
        """Runs one command line and compares what it prints."""
        if command.endswith("&"):
            return self.start(["bash", "-c", f"exec {command[:-1]}"], f"{self.name}:{line}")
        done = self.run(["bash", "-c", command])
        printed = done.stdout + done.stderr
        assert matches(expected, printed), (
            f"{self.name}:{line}: `{command}` prints\n{printed}\nnot\n{expected}"
        )
        return None

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment(self.folder),
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
        )

    def start(self, command: list[str], place: str) -> None:
        """Starts a server and waits until it listens."""
        self.stop()
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment(self.folder),
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.running.append(process)
        until = time.monotonic() + SECONDS_MAX
        while not listens(self.port):
            if process.poll() is not None:
                assert process.stderr is not None
                pytest.fail(f"{place}: the server stopped:\n{process.stderr.read()}")
            assert time.monotonic() < until, f"{place}: the server does not listen"
            time.sleep(0.02)

    def stop(self) -> None:
        while self.running:
            process = self.running.pop()
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


def environment(folder: Path) -> dict[str, str]:
    """This process's variables, with the command that belongs to this Python first on the path.

    What is kept of contracts is kept in the folder: a port that is free now was another service's before,
    and what is known of that one's WSDL would be taken for this one's.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    ours = {"PATH": path, "CASTILE_CACHE": str(folder / ".cache")}
    return {**os.environ, **ours, "PYTHONUNBUFFERED": "1", "COLUMNS": "100", "NO_COLOR": "1"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    yield tmp_path


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_run(document: Path, folder: Path):
    reader = Reader(folder, document.name)
    try:
        for block in blocks(document.read_text(encoding="utf-8")):
            reader.follow(block)
    finally:
        reader.stop()


def test_relative_links_lead_somewhere():
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_a_wrong_example_is_noticed(folder: Path):
    reader = Reader(folder, "wrong.md")
    for text in (
        "```python\nprint(1 + 1)  # 3\n```\n",
        "```python\nraise SystemExit(1)\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
    ):
        with pytest.raises(AssertionError, match=r"wrong\.md:2"):
            for block in blocks(text):
                reader.follow(block)
        reader.script = ""


def test_prompts_and_matches():
    assert prompts("$ a \\\n    b\none\n$ c\n") == [("a b", "one\n"), ("c", "")]
    assert matches("a ... c", "a b\nb c\n")
    assert not matches("a", "a\nb")
