"""What the tests share: a service with every type, and where foreign files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import castile
import pytest
from everything import Everything

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def server():
    with castile.serve(Everything(), port=0, background=True, cache=False) as server:
        yield server


@pytest.fixture(scope="session")
def client(server):
    return castile.Client(server.wsdl_url, cache=False)


@pytest.fixture(scope="session")
def objects(server):
    """A client whose flat structs come as objects."""
    return castile.Client(server.wsdl_url, cache=False, rows="objects")


@pytest.fixture(scope="session")
def interop():
    return ROOT / "interop" / "interop.wsdl"


@pytest.fixture(scope="session")
def testdata():
    folder = Path(os.environ.get("CASTILE_TESTDATA") or ROOT.parent / "shared" / "testdata")
    if not folder.is_dir():
        if os.environ.get("CASTILE_REQUIRE_TESTDATA") == "1":
            pytest.fail(f"there is no folder {folder}")
        print(f"SKIPPED: tests on foreign files. There is no folder {folder}", file=sys.stderr)
        pytest.skip("no test data")
    return folder
