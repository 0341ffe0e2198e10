"""Contracts that nobody here wrote."""

import castile
import pytest

NAMES = ["node-soap", "zeep", "axis1-tests", "cxf-testutils"]


@pytest.mark.parametrize("folder", NAMES)
def test_operations_of_real_contracts(testdata, folder):
    files = sorted((testdata / "wsdl" / folder).rglob("*.wsdl"))
    assert files
    described = 0
    for file in files:
        try:
            client = castile.Client(file, endpoint="http://127.0.0.1:9/", cache=False, offline=True)
        except castile.ContractError:
            continue
        for name in client.service:
            operation = client.service[name]
            assert name in operation.__doc__
            assert str(operation.__signature__)
            described += 1
        for name in client.types:
            assert client.type(name).__name__
    assert described > 0
