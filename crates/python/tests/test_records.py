"""Typed objects: access, equality, copies, pickles."""

import copy
import inspect
import pickle
import subprocess
import sys

import castile
import numpy as np
import pytest


def test_a_type_by_its_name(client):
    Point = client.type("{urn:everything}Point")
    assert Point is client.type("Point")
    assert Point.__name__ == "Point"
    assert "place" in Point.__doc__
    assert list(inspect.signature(Point).parameters) == ["x", "y", "label"]
    assert "{urn:everything}Point" in client.types
    with pytest.raises(LookupError, match="Nothing"):
        client.type("Nothing")
    with pytest.raises(LookupError, match="plain"):
        client.type("{http://www.w3.org/2001/XMLSchema}int")


def test_enumerations_have_classes(client):
    Color = client.type("Color")
    assert Color.RED if hasattr(Color, "RED") else Color.red == "red"
    assert client.service.color(Color.deep_blue) == "deep blue"


def test_fields_are_attributes_and_items(client):
    Point = client.type("Point")
    p = Point(1.0, label="l")
    assert (p.x, p["x"], p.y, "y" in p, "label" in p) == (1.0, 1.0, None, False, True)
    p.y = 2.0
    p["x"] = 3.0
    assert repr(p) == "Point(x=3.0, y=2.0, label='l')"
    del p["label"]
    del p["label"]
    assert repr(p) == "Point(x=3.0, y=2.0)"
    assert list(p) == ["x", "y", "label"]
    assert castile.asdict(p) == {"x": 3.0, "y": 2.0}
    match p:
        case castile.Record(x=x):
            assert x == 3.0


def test_wrong_names_are_errors(client):
    Point = client.type("Point")
    p = Point()
    with pytest.raises(AttributeError):
        p.z = 1
    with pytest.raises(AttributeError, match="its fields are x, y, label"):
        _ = p.z
    with pytest.raises(KeyError):
        p["z"]
    with pytest.raises(TypeError, match="'z'"):
        Point(z=1)
    with pytest.raises(TypeError, match="3 fields"):
        Point(1, 2, 3, 4)
    with pytest.raises(TypeError, match="two values"):
        Point(1, x=2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(p)


def test_copies_and_pickles(client):
    Tree = client.type("Tree")
    tree = Tree(1, [Tree(2), Tree(3)])
    for again in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again == tree
        assert type(again) is Tree
    shallow, deep = copy.copy(tree), copy.deepcopy(tree)
    tree.children[0].value = 7
    assert shallow == tree != deep
    assert tree.__replace__(value=9).value == 9


def test_a_pickle_is_read_without_the_contract(client):
    tree = client.service.tree(client.type("Tree")(1, [client.type("Tree")(2)]))
    values = pickle.dumps([tree, castile.DateTime("gYear", "2020"), castile.SKIP, castile.QName("u", "l")])
    code = (
        "import pickle, sys; v = pickle.load(sys.stdin.buffer); t = v[0]; "
        "print(t, t.children[0].value, t._castile_type, v[1:])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=values, capture_output=True, check=True)
    said = done.stdout.decode().strip()
    assert "Tree(value=1, children=[Tree(value=2)]) 2 {urn:everything}Tree" in said
    assert "castile.SKIP" in said


def test_equality_looks_into_arrays(interop):
    client = castile.Client(interop, endpoint="http://127.0.0.1:9/", cache=False)
    Member = client.type("Member")
    a = Member(name="n", score=np.array([1.0, 2.0]))
    assert a == Member(name="n", score=np.array([1.0, 2.0]))
    assert a != Member(name="n", score=np.array([1.0, 2.5]))
    assert a != 1
    empty = Member(name="n")
    assert empty.score.dtype == np.float64
    assert len(empty.score) == 0


def test_long_lists_are_shown_short(client):
    Tree = client.type("Tree")
    assert "80 more" in repr(Tree(1, [Tree(i) for i in range(100)]))


GROUPS = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"><types>
  <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
    <xs:complexType name="Folders"><xs:sequence>
      <xs:choice maxOccurs="unbounded"><xs:element name="Id" type="xs:string"/>
        <xs:element name="Name" type="xs:string"/></xs:choice>
      <xs:choice><xs:element name="all" type="xs:boolean"/><xs:element name="some" type="xs:int"/></xs:choice>
    </xs:sequence></xs:complexType>
    <xs:element name="get"><xs:complexType><xs:sequence><xs:element name="folders" type="t:Folders"/>
    </xs:sequence></xs:complexType></xs:element></xs:schema></types>
  <message name="In"><part name="p" element="t:get"/></message>
  <portType name="P"><operation name="get"><input message="t:In"/></operation></portType>
  <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="get"><input><s:body use="literal"/></input></operation></binding>
  <service name="S"><port name="P" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>
</definitions>"""


def test_members_of_repeated_groups_are_read_and_given_by_their_own_names():
    client = castile.Client(GROUPS, cache=False)
    Folders = client.type("Folders")
    mixed = Folders(choice=[{"Id": "1"}, {"Name": "inbox"}, {"Id": "2"}], all=True)
    sent = client.encode("get", mixed)
    inside = sent[sent.index(b"<folders>") + 9 : sent.index(b"</folders>")]
    assert inside == b"<Id>1</Id><Name>inbox</Name><Id>2</Id><all>true</all>"
    assert mixed.Id == mixed["Id"] == ["1", "2"]
    assert mixed.Name == ["inbox"]
    assert {"Id", "Name", "choice"} < set(dir(mixed))
    assert Folders(Id=["1", "2"], some=2).Id == ["1", "2"]
    assert client.encode("get", Folders(Id=["1"], some=2)) == client.encode(
        "get", {"choice": [{"Id": "1"}], "some": 2}
    )
    again = pickle.loads(pickle.dumps(mixed))
    assert again == mixed
    assert again.Id == ["1", "2"]
    with pytest.raises(AttributeError, match="no field 'id'"):
        _ = mixed.id
    with pytest.raises(KeyError):
        mixed["id"]


def test_what_was_chosen_can_be_asked_for(client):
    Point = client.type("Point")
    assert castile.present(Point(1.0)) == {"x": 1.0}
    assert castile.type_name(Point) == castile.type_name(Point()) == "{urn:everything}Point"


def test_objects_that_refer_to_each_other_are_values_all_the_same(client):
    Tree = client.type("Tree")

    def ring(value):
        first, second = Tree(value), Tree(2)
        first.children, second.children = [second, second], [first]
        return first

    tree = ring(1)
    assert repr(tree) == (
        "Tree(value=1, children=[Tree(value=2, children=[Tree(...)]), Tree(value=2, children=[Tree(...)])])"
    )
    assert tree == ring(1)
    assert tree != ring(3)
    for again in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again == tree
        assert again.children[0] is again.children[1]
        assert again.children[0].children[0] is again
    plain = castile.asdict(tree)
    assert plain["value"] == 1
    assert plain["children"][0] is plain["children"][1]
    assert plain["children"][0]["children"][0] is plain


def test_what_is_deep_or_much_takes_neither_stack_nor_long(client):
    Tree = client.type("Tree")

    def chain(end):
        tree = Tree(end)
        for value in range(10_000):
            tree = Tree(value, [tree])
        return tree

    assert chain(1) == chain(1)
    assert chain(1) != chain(2)
    assert repr(chain(1)).endswith("[Tree(...)" + "])" * 50)
    deep = castile.asdict(chain(1))
    for _ in range(10_000):
        deep = deep["children"][0]
    assert deep == {"value": 1}

    for again in (copy.deepcopy(chain(1)), pickle.loads(pickle.dumps(chain(1)))):
        assert again == chain(1)
    shallow = copy.copy(outer := chain(1))
    assert shallow is not outer and shallow.children is outer.children

    def doubled():
        tree = Tree(0)
        for value in range(40):
            tree = Tree(value, [tree, tree])
        return tree

    assert doubled() == doubled()
    assert len(repr(doubled())) < 100_000


def test_help_tells_what_fields_hold():
    Folders = castile.Client(GROUPS, cache=False).type("Folders")
    assert Folders.__doc__ == (
        "A value of {urn:t}Folders.\n\nFields:\n"
        "    choice: a list of records of Id, Name\n"
        "    all: xsd:boolean, optional\n"
        "    some: xsd:int, optional"
    )
