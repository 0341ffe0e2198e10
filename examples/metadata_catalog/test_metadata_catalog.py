"""The catalog, through SOAP, against SQL of another shape, and against a search in Python."""

import datetime
import fnmatch
import operator
import sqlite3

import castile
import pytest

from catalog_service import Catalog
from survey import QUESTIONS, ask, condition, files, fill

COUNT = 250


@pytest.fixture(scope="module")
def catalog():
    with castile.serve(Catalog(), port=0, background=True) as server:
        service = castile.Client(server.wsdl_url, cache=False).service
        assert fill(service, list(files(COUNT))) == COUNT
        yield service


def read(attribute):
    convert = {"int": int, "double": float, "string": str, "date": datetime.date.fromisoformat}
    return convert[attribute["type"]](attribute["value"])


HOLDS = {
    "equal": operator.eq,
    "less": operator.lt,
    "greater": operator.gt,
    "like": lambda text, pattern: fnmatch.fnmatchcase(text, pattern.replace("%", "*")),
}


def test_questions_are_answered_as_python_answers_them(catalog):
    answers = ask(catalog)
    for question, names in zip(QUESTIONS, answers, strict=True):
        expected = [
            file["name"]
            for file in files(COUNT)
            if all(
                any(
                    a["name"] == wanted["name"] and HOLDS[wanted["comparison"]](read(a), read(wanted))
                    for a in file["attributes"]
                )
                for wanted in question
            )
        ]
        assert names == sorted(expected)
    assert all(answers), "each question has an answer"


def test_questions_are_answered_as_a_wide_table_answers_them(catalog):
    base = sqlite3.connect(":memory:")
    columns = [a["name"] for a in next(files(1))["attributes"]]
    base.execute(f"CREATE TABLE wide (file, {', '.join(columns)})")
    for file in files(COUNT):
        row = [file["name"], *(read(a) for a in file["attributes"])]
        row = [value.isoformat() if isinstance(value, datetime.date) else value for value in row]
        base.execute(f"INSERT INTO wide VALUES ({', '.join('?' * len(row))})", row)
    sign = {"equal": "=", "less": "<", "greater": ">", "like": "LIKE"}
    for question, names in zip(QUESTIONS, ask(catalog), strict=True):
        where = " AND ".join(
            f"{w['name']} {sign[w['comparison']]} "
            + (w["value"] if w["type"] in ("int", "double") else f"'{w['value']}'")
            for w in question
        )
        rows = base.execute(f"SELECT file FROM wide WHERE {where} ORDER BY file").fetchall()
        assert names == [name for (name,) in rows]


def test_what_was_added_comes_back(catalog):
    for file in list(files(COUNT))[::50]:
        there = [
            {"name": a.name, "type": a.type, "value": a.value} for a in catalog.describe(name=file["name"])
        ]
        assert there == file["attributes"]


def test_no_condition_finds_everything(catalog):
    assert len(catalog.find(conditions=[])) == COUNT


@pytest.mark.parametrize(
    ("call", "fault", "member", "value"),
    [
        (lambda c: c.add(files=[next(files(1))]), "AlreadyThere", "name", "survey/0000/000000.fits"),
        (lambda c: c.describe(name="nowhere"), "NoSuchFile", "name", "nowhere"),
        (lambda c: c.find(conditions=[condition("run", "int", "less", "many")]), "BadValue", "value", "many"),
        (lambda c: c.find(conditions=[condition("run", "int", "less", "9" * 30)]), "BadValue", "name", "run"),
    ],
)
def test_mistakes_are_declared_faults(catalog, call, fault, member, value):
    with pytest.raises(castile.Fault) as caught:
        call(catalog)
    assert caught.value.name == fault
    assert getattr(caught.value.detail, member) == value


def test_a_message_with_a_bad_file_adds_none(catalog):
    good = {"name": "good", "attributes": []}
    bad = {"name": "bad", "attributes": [{"name": "day", "type": "date", "value": "someday"}]}
    for files_ in ([good, bad], [good, next(files(1))]):
        with pytest.raises(castile.Fault):
            catalog.add(files=files_)
    assert len(catalog.find(conditions=[])) == COUNT


def test_a_catalog_outlives_its_server(tmp_path):
    database = str(tmp_path / "catalog.db")
    first = Catalog(database)
    with castile.serve(first, port=0, background=True) as server:
        fill(castile.Client(server.wsdl_url, cache=False).service, list(files(3)))
    with castile.serve(Catalog(database), port=0, background=True) as server:
        assert len(castile.Client(server.wsdl_url, cache=False).service.find(conditions=[])) == 3
