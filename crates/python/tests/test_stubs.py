"""The typed stubs say what the binary has."""

import ast
import inspect
from pathlib import Path

import castile
import pytest
from castile import _castile

STUB = ast.parse((Path(castile.__file__).parent / "_castile.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_everything_and_nothing_else():
    assigned = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    functions = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    assert public(CLASSES) | assigned | functions == public(dir(_castile))


@pytest.mark.parametrize("name", CLASSES)
def test_members(name):
    stub = {node.name for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    assert public(stub) == public(vars(getattr(_castile, name)))


@pytest.mark.parametrize("name", CLASSES)
def test_parameters(name):
    for node in CLASSES[name].body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.decorator_list:
            continue
        given = [a.arg for a in node.args.args]
        real = list(inspect.signature(getattr(getattr(_castile, name), node.name)).parameters)
        assert given == real, node.name


def test_everything_public_is_documented():
    for name in castile.__all__:
        if name != "__version__":
            assert getattr(castile, name).__doc__, name
    assert (Path(castile.__file__).parent / "py.typed").exists()
