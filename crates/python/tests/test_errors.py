"""Errors about replies: which class, and what is left to look at."""

import contextlib
import http.server
import pickle
import threading

import castile
import pytest

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
BROKEN = f"<S:Envelope xmlns:S='{SOAP}'><S:Body><a/></S:Body></S:Envelope>".encode()
PAGE = b"<html><body>later</body></html>"


@contextlib.contextmanager
def answering(status, content_type, body):
    """The URL of a server that answers everything so."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


CASES = [
    (503, "text/html", PAGE, castile.TransportError),
    (503, "text/html", b"", castile.TransportError),
    (404, "text/xml", PAGE, castile.TransportError),
    (301, "text/html", PAGE, castile.TransportError),
    (401, "text/html", PAGE, castile.SecurityError),
    (200, "text/html", PAGE, castile.BadPeer),
    (200, "text/xml", b"", castile.BadPeer),
    (500, "text/xml", BROKEN, castile.BadPeer),
    (200, "text/xml", BROKEN, castile.BadPeer),
]


@pytest.mark.parametrize(("status", "content_type", "body", "error"), CASES)
def test_what_is_no_reply_has_its_status_and_its_bytes(interop, status, content_type, body, error):
    with answering(status, content_type, body) as url:
        client = castile.Client(interop, endpoint=url, cache=False)
        with pytest.raises(error) as caught:
            client.service.echoInts([1])
        with pytest.raises(error):
            list(client.stream.echoInts([1]))
    assert type(caught.value) is error
    assert (caught.value.status, caught.value.reply) == (status, body or None)
    assert pickle.loads(pickle.dumps(caught.value)).status == status


def test_only_the_beginning_of_a_long_reply_is_kept(interop):
    with answering(502, "text/plain", b"x" * 100_000) as url:
        client = castile.Client(interop, endpoint=url, cache=False)
        with pytest.raises(castile.TransportError) as caught:
            client.service.echoInts([1])
    assert caught.value.reply == b"x" * 65536


def test_no_reply_has_no_status(interop):
    client = castile.Client(interop, endpoint="http://127.0.0.1:9/", cache=False)
    with pytest.raises(castile.TransportError) as caught:
        client.service.echoInts([1])
    assert (caught.value.status, caught.value.reply) == (None, None)


@pytest.mark.parametrize(("status", "body"), [(503, PAGE), (401, b"no")])
def test_scripts_for_zeep_get_its_error_with_status_and_content(interop, status, body):
    from castile import zeep

    with answering(status, "text/html", body) as url:
        client = zeep.Client(str(interop))
        service = client.create_service(next(iter(client.wsdl.bindings)), url)
        with pytest.raises(zeep.exceptions.TransportError) as caught:
            service.echoInts([1])
    assert (caught.value.status_code, caught.value.content) == (status, body)
