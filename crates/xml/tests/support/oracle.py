"""Prints what expat reads, in the form that `events` of mod.rs gives, to compare the two.

Standard input: documents, each after its length as eight bytes, little-endian. Standard output, for
each: a line `ok` or `error MESSAGE`, the events if any, and a line with a single full stop.
"""

import re
import sys
import xml.parsers.expat

ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text):
    return re.sub(r"[\\\n\r\t]", lambda m: ESCAPES[m[0]], text)


def name(expanded):
    uri, _, local = expanded.rpartition("}")
    return "{%s}%s" % (uri, local)


class Events:
    def __init__(self, encoding=None):
        self.lines = []
        self.text = []
        self.in_dtd = False
        p = self.parser = xml.parsers.expat.ParserCreate(encoding, "}")
        p.StartElementHandler = self.start
        p.EndElementHandler = lambda n: self.add("end", name(n))
        p.CharacterDataHandler = self.text.append
        p.CommentHandler = lambda data: self.add("comment", data)
        p.ProcessingInstructionHandler = lambda target, data: self.add("instruction", target, data)
        p.StartDoctypeDeclHandler = lambda *_: self.dtd(True)
        p.EndDoctypeDeclHandler = lambda: self.dtd(False)

    def dtd(self, inside):
        self.in_dtd = inside

    def add(self, *fields):
        if self.in_dtd:
            return
        if self.text:
            text = "".join(self.text)
            self.text.clear()
            self.lines.append("text\t" + escape(text))
        self.lines.append("\t".join(escape(f) for f in fields))

    def start(self, element, attributes):
        pairs = sorted(name(n) + "=" + value for n, value in attributes.items())
        self.add("start", name(element), *pairs)


def declared_codec(document):
    found = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)", document)
    return found and found[1].decode()


def read(document):
    events = Events()
    try:
        events.parser.Parse(document, True)
    except xml.parsers.expat.ExpatError as error:
        unknown = "unknown encoding" in str(error) or "multi-byte" in str(error)
        if not unknown or not declared_codec(document):
            raise
        events = Events("utf-8")
        events.parser.Parse(document.decode(declared_codec(document)).encode(), True)
    return events.lines


def main():
    data = sys.stdin.buffer.read()
    out = []
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        document = data[at + 8 : at + 8 + length]
        at += 8 + length
        try:
            out += ["ok", *read(document)]
        except (xml.parsers.expat.ExpatError, ValueError, LookupError) as error:
            out.append("error " + escape(str(error)))
        out.append(".")
    sys.stdout.buffer.write("".join(line + "\n" for line in out).encode())


main()
