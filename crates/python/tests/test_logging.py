"""What the core tells comes out of Python's logging."""

import logging

import castile


def test_calls_are_told_to_who_listens(client, caplog):
    client.service.add(1, 2)
    assert not [r for r in caplog.records if r.name.startswith("castile.")]
    with caplog.at_level(logging.DEBUG, logger="castile"):
        client.service.add(1, 2)
    told = [r for r in caplog.records if r.name == "castile.endpoint" and r.levelno == logging.DEBUG]
    assert any(r.getMessage().startswith("call: operation=add status=200 bytes_out=") for r in told)
    count = len(caplog.records)
    client.service.add(1, 2)
    assert len(caplog.records) == count


def test_levels_of_one_part_count(client, caplog):
    with caplog.at_level(logging.DEBUG, logger="castile"), caplog.at_level(logging.ERROR, "castile.endpoint"):
        client.service.add(1, 2)
    assert not [r for r in caplog.records if r.name == "castile.endpoint"]


def test_what_is_refused_is_told(client, caplog):
    with caplog.at_level(logging.INFO, logger="castile"):
        import urllib.request

        request = urllib.request.Request(client.endpoint, b"<no/>", {"Content-Type": "text/xml"})
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            error.close()
    assert any("refused a message" in r.getMessage() for r in caplog.records)


def test_no_secret_is_told(caplog):
    with caplog.at_level(logging.DEBUG, logger="castile"):
        castile.Client(castile.wsdl(type_with_one()), endpoint="http://127.0.0.1:9/", auth=("u", "s3cret"))
    assert "s3cret" not in caplog.text


def type_with_one():
    @castile.service(namespace="urn:one", name="One")
    class One:
        @castile.operation
        def one(self) -> int:
            return 1

    return One
