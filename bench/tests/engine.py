"""A toy engine: the protocol with the standard library alone, right or with one flaw on purpose."""

import http.client
import http.server
import re
import sys
import threading
import time

FLAW = sys.argv[1]
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


def envelope(body: str) -> bytes:
    """A message of the suite's contract."""
    return f'<e:Envelope xmlns:e="{SOAP}"><e:Body>{body}</e:Body></e:Envelope>'.encode()


def array(wrapper: str, member: str, values: list[str]) -> bytes:
    """A message with one array."""
    items = "".join(f"<item>{value}</item>" for value in values)
    return envelope(f'<{wrapper} xmlns="urn:castile:bench"><{member}>{items}</{member}></{wrapper}>')


def items(message: str) -> list[str]:
    """The items of a message's array."""
    return re.findall(r"<item>(.*?)</item>", message)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every operation on ints."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One request."""
        message = self.rfile.read(int(self.headers["Content-Length"])).decode()
        values = items(message)
        if "echoVoid" in message:
            reply = envelope('<echoVoidResponse xmlns="urn:castile:bench"/>')
        elif "sendInts" in message:
            count = len(values) + (FLAW == "count")
            answer = f"<count>{count}</count>"
            reply = envelope(f'<sendIntsResponse xmlns="urn:castile:bench">{answer}</sendIntsResponse>')
        else:
            values = ["7", *values[1:]] if FLAW == "server" else values
            reply = array("echoIntsResponse", "return", values)
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Engine:
    """The commands."""

    def __init__(self) -> None:
        self.sets: list[list[str]] = []
        self.last: list[str] = []

    def answer(self, words: list[str]) -> str:
        """The answer to one command."""
        match words:
            case ["hello"]:
                return "ok 1 toy"
            case ["load", _, file]:
                with open(file) as lines:
                    self.sets.append(lines.read().split())
                return f"ok {len(self.sets[-1])}"
            case ["clear"]:
                self.sets.clear()
            case ["set", *_]:
                return "unsupported the toy has no settings"
            case ["serve", _]:
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                return f"ok {server.server_port}"
            case ["call", operation, url, count]:
                return "ok " + " ".join(self.call(operation, url, index) for index in range(int(count)))
            case ["dump", file]:
                with open(file, "w") as out:
                    out.writelines(f"{value}\n" for value in self.last)
                return f"ok {len(self.last)}"
            case ["run", _, _]:
                start = time.monotonic_ns()
                said = "other" if FLAW == "answer" else "same"
                return f"ok {start},{time.monotonic_ns()} 3 300 400 5 {said}"
            case ["reset"]:
                pass
            case _:
                return "error no such command"
        return "ok"

    def call(self, operation: str, url: str, index: int) -> str:
        """One call, timed."""
        host, path = re.fullmatch(r"http://([^/]*)(/.*)", url).groups()
        values = self.sets[index % len(self.sets)] if self.sets else []
        start = time.monotonic_ns()
        if FLAW == "dies":
            sys.exit("last words")
        values = ["7", *values[1:]] if FLAW == "client" else values
        empty = f'<{operation} xmlns="urn:castile:bench"/>'
        body = array(operation, "values", values) if self.sets else envelope(empty)
        connection = http.client.HTTPConnection(host)
        connection.request("POST", path, body, {"Content-Type": "text/xml", "SOAPAction": '""'})
        self.last = items(connection.getresponse().read().decode())
        if FLAW == "decoder":
            self.last = self.last[:-1]
        end = time.monotonic_ns()
        connection.close()
        return f"{start},{end}"


engine = Engine()
for line in sys.stdin:
    if line.strip() == "quit":
        break
    try:
        print(engine.answer(line.split()), flush=True)
    except Exception as error:
        print(f"error {error!r}", flush=True)
