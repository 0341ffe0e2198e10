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


def test_zeeps_view_of_real_contracts(testdata, capsys):
    """Every fourth of the corpus is shown without an error, if the core can load it."""
    from castile import zeep

    shown = 0
    for path in sorted((testdata / "wsdl").rglob("*.wsdl"))[::4]:
        try:
            castile.Client(path, endpoint="http://127.0.0.1:9/", offline=True, cache=False)
        except castile.Error:
            continue
        zeep.Client(str(path)).wsdl.dump()
        said = capsys.readouterr().out
        assert "Operations:" in said or "\nService:" not in said, path
        shown += 1
    assert shown > 100


def test_prefixes_are_those_of_zeep(testdata):
    """Scripts name types by zeep's prefixes: `ns0:Order`."""
    real = pytest.importorskip("zeep")
    from castile import zeep

    for name in (
        "partner.xml",
        "srm.v2.2.wsdl",
        "MS-LISTSWS.wsdl",
        "oracle.wsdl",
        "soapheader.wsdl",
        "betfair.wsdl",
    ):
        path = next((testdata / "wsdl").rglob(name))
        assert zeep.Client(str(path)).namespaces == real.Client(str(path)).namespaces, name


FOUND = """<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><m:FindItemResponse
  xmlns:m="http://schemas.microsoft.com/exchange/services/2006/messages"
  xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types"><m:ResponseMessages>
  <m:FindItemResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
  <m:RootFolder TotalItemsInView="3" IncludesLastItemInRange="true"><t:Items>
    <t:Message><t:ItemId Id="1"/><t:Subject>one</t:Subject></t:Message>
    <t:Task><t:Subject>two</t:Subject></t:Task>
    <t:Message><t:Subject>three</t:Subject></t:Message></t:Items></m:RootFolder>
  </m:FindItemResponseMessage></m:ResponseMessages></m:FindItemResponse></s:Body></s:Envelope>"""


def test_items_of_exchange_are_read_in_order_and_by_kind(testdata):
    path = testdata / "wsdl" / "ews-php" / "services.wsdl"
    client = castile.Client(path, endpoint="http://127.0.0.1:9/", offline=True)
    response = client.decode("FindItem", FOUND.encode())
    (message,) = response.ResponseMessages.FindItemResponseMessage
    items = message.RootFolder.Items
    kinds = [(kind, item.Subject) for one in items.choice for kind, item in castile.present(one).items()]
    assert kinds == [("Message", "one"), ("Task", "two"), ("Message", "three")]
    assert [item.Subject for item in items.Message] == ["one", "three"]
    assert items.Message[0].ItemId.Id == "1"
    assert castile.type_name(items.Task[0]).endswith("}TaskType")
