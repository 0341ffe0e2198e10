"""Expressions, and two pools through SOAP against a match by hand."""

import re
from types import SimpleNamespace

import castile
import pytest

from classad import UNDEFINED, Ad, BadExpression, Scope, holds, match, parse, rank
from matchmaker_service import Matchmaker
from pools import Pool, ad, run


@pytest.fixture
def pools():
    servers = [castile.serve(Matchmaker(), port=0, background=True) for _ in range(2)]
    yield [castile.Client(server.wsdl_url, cache=False).service for server in servers]
    for server in servers:
        server.stop()


class ByHand:
    """A matchmaker that knows what these machines and jobs want, and reads no expressions."""

    def __init__(self):
        self.ads = {}

    def advertise(self, ads):
        for one in ads:
            facts = {a["name"]: a["value"] for a in one["attributes"]}
            self.ads[facts["MyType"], facts["Name"]] = facts

    def withdraw(self, type, names):
        for name in names:
            self.ads.pop((type, name), None)

    def negotiate(self):
        matches = []
        for key in sorted(key for key in self.ads if key[0] == "Job"):
            job = self.ads[key]
            arch, mips = re.search(r'Arch == "(\w+)".*Mips >= (\d+)', job["Requirements"]).groups()
            likes = re.search(r"TARGET\.(\w+) / 1024", job["Rank"])[1]
            best = None
            for machine in sorted(key for key in self.ads if key[0] == "Machine"):
                facts = self.ads[machine]
                load = float(facts["LoadAvg"])
                if (
                    facts["Arch"].lower() == arch
                    and facts["OpSys"] == "LINUX"
                    and int(facts["Mips"]) >= int(mips)
                    and int(job["ImageSize"]) <= int(facts["Memory"])
                    and load < 0.45
                ):
                    liking = int(facts[likes]) / 1024 - 100 * load
                    if best is None or liking > best[0]:
                        best = liking, machine
            if best:
                del self.ads[key], self.ads[best[1]]
                matches.append(SimpleNamespace(job=key[1], machine=best[1][1], rank=best[0]))
        return matches


def test_pools_match_as_by_hand(pools):
    def two():
        return [Pool("north", 30, 1), Pool("south", 12, 2)]

    found = run(pools, two(), rounds=4)
    assert found == run([ByHand(), ByHand()], two(), rounds=4)
    home, away = found[0:2], found[2:4]
    assert all(home) and any(away), "some fit at home, and some only at the neighbour's"
    machines = [machine for matches in found for _, machine, _ in matches]
    assert len(machines) == len(set(machines)), "no machine is given twice"


def test_an_ad_comes_back_as_it_was(pools):
    said = Pool("north", 3, 1).machines(set(), 0)
    assert pools[0].advertise(ads=said) == 3
    back = pools[0].query(constraint="true")
    assert [castile.asdict(one) for one in back] == said
    assert pools[0].advertise(ads=said[:1]) == 3, "it replaces the one of its name"


MACHINE = Ad({"Memory": ("int", "512"), "Arch": ("string", "INTEL"), "Half": ("expression", "Memory / 2")})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 == 7", True),
        ("(1 + 2) * 3", 9),
        ("10 - 2 - 3", 5),
        ("-2 + 5", 3),
        ("7 / 2", 3.5),
        ("memory >= 512", True),
        ("Half", 256.0),
        ('Arch == "intel"', True),
        ('Arch =?= "intel"', False),
        ('"a \\"quoted\\" word" == "A \\"QUOTED\\" WORD"', True),
        ("Disk > 5", UNDEFINED),
        ("Disk =?= undefined", True),
        ("Disk =!= undefined", False),
        ("false && Disk > 5", False),
        ("Disk > 5 && false", False),
        ("true || Disk > 5", True),
        ("Disk > 5 || true", True),
        ("true && Disk > 5", UNDEFINED),
        ("!(Memory < 100)", True),
        ("!Memory", UNDEFINED),
        ("TARGET.Memory", UNDEFINED),
        ("Memory / 0", UNDEFINED),
        ('Memory == "512"', UNDEFINED),
        ('"a" + "b"', UNDEFINED),
        ("1e3 > 999.5", True),
    ],
)
def test_expressions(text, expected):
    assert parse(text)(Scope(MACHINE, None, 0, [0])) == expected


@pytest.mark.parametrize(
    "text", ["", "1 +", "(1", "1 2", "a b", "OTHER.x", '"open', "1 & 2", "(" * 200 + "1", "!" * 200]
)
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(BadExpression):
        parse(text)


def test_an_attribute_that_needs_itself_is_undefined():
    ad = Ad({"a": ("expression", "b + 1"), "b": ("expression", "a + 1")})
    assert not holds("a > 0", ad)


def test_an_ad_cannot_keep_a_matchmaker_busy():
    twice = {f"a{n}": ("expression", f"a{n + 1} + a{n + 1}") for n in range(45)}
    assert not holds("a0 > 0", Ad(twice | {"a45": ("int", "1")}))


def test_a_rank_may_be_any_number():
    assert rank(Ad({"Rank": ("int", "9" * 400)}), MACHINE) == 0.0
    assert rank(Ad({"Rank": ("string", "much")}), MACHINE) == 0.0


def test_a_match_needs_both():
    small = Ad({"Memory": ("int", "1"), "Requirements": ("expression", "TARGET.Size <= Memory")})
    job = Ad(
        {
            "Size": ("int", "1"),
            "Requirements": ("expression", "true"),
            "Rank": ("expression", "TARGET.Memory"),
        }
    )
    large = Ad({"Size": ("int", "2"), "Requirements": ("expression", "true")})
    assert match(small, job) and match(job, small)
    assert not match(small, large)
    assert (rank(job, small), rank(small, job)) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda p: p.advertise(ads=[ad("Car", "x", [])]), "BadAd"),
        (lambda p: p.advertise(ads=[ad("Job", "", [])]), "BadAd"),
        (lambda p: p.advertise(ads=[ad("Job", "x", [("Memory", "int", "much")])]), "BadAd"),
        (lambda p: p.advertise(ads=[ad("Job", "x", [("Rank", "expression", "1 +")])]), "BadAd"),
        (lambda p: p.query(constraint="(("), "BadConstraint"),
    ],
)
def test_mistakes_are_declared_faults(pools, call, fault):
    with pytest.raises(castile.Fault) as caught:
        call(pools[0])
    assert caught.value.name == fault and caught.value.detail.reason
    assert len(pools[0].query(constraint="true")) == 0
