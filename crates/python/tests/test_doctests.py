"""The examples in docstrings."""

import doctest
import importlib
import pkgutil

import castile
import pytest

MODULES = ["castile", *(f"castile.{m.name}" for m in pkgutil.iter_modules(castile.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("cls", [castile.DateTime, castile.Duration])
def test_examples_of_the_core(cls):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example = doctest.DocTestParser().get_doctest(cls.__doc__, {}, cls.__name__, None, None)
    assert runner.run(example).failed == 0
    assert example.examples
