"""Reads messages from standard input: expat says whether each is well-formed, and libxml2 (through lxml,
where Python has it) whether each body element is valid by the schemas of its WSDL.

Input: lines of label, WSDL file and number of bytes, separated by tabs, each followed by so many bytes.
Output: REFUSED lines, then one line of counts for each reader.
"""

import copy
import sys
import tempfile
from pathlib import Path
from xml.parsers import expat

try:
    from lxml import etree
except ImportError:
    etree = None

XSD = "{http://www.w3.org/2001/XMLSchema}"
SOAP = ("{http://schemas.xmlsoap.org/soap/envelope/}", "{http://www.w3.org/2003/05/soap-envelope}")

# Errors that say that the schemas are not all there, that no value could be right, that content is
# mixed, which a sample cannot know, or that an enumeration is of qualified names, whose prefixes it
# does not know.
NOT_OURS = (
    "No matching global declaration available for the validation root",
    "demanded by the strict wildcard",
    "specified by xsi:type, is blocked or not validly derived",
    "[facet 'enumeration'] The value 'q0:",
)


def messages(stream):
    while head := stream.readline():
        label, wsdl, count = head.decode().rstrip("\n").split("\t")
        yield label, wsdl, stream.read(int(count))


class Expat:
    """Well-formedness with namespaces."""

    def __init__(self):
        self.name = f"expat {'.'.join(map(str, expat.version_info))}"
        self.total = self.good = 0

    def read(self, label, data):
        self.total += 1
        try:
            expat.ParserCreate(namespace_separator=" ").Parse(data, True)
            self.good += 1
        except expat.ExpatError as error:
            print(f"REFUSED {label}: expat: {error}")

    def sum(self):
        return f"{self.name}: {self.good} of {self.total} messages are well-formed"


class Schemas:
    """The schemas of a WSDL, and of those it imports, for libxml2."""

    def __init__(self, wsdl):
        schemas = list(inline(Path(wsdl), set()))
        # Mixed content is XML or text to us, and a wildcard of no namespace at all one of any.
        if any(s.xpath(".//@mixed | .//*[local-name() = 'any' and @namespace = '']") for s, _ in schemas):
            raise ValueError("asks for what we take more freely")
        if not schemas:
            raise ValueError("no schema")
        # Parts with elements in rpc style: the wrapper around them may be called like one of them.
        if etree.parse(wsdl).xpath("//@style = 'rpc' and //*[local-name() = 'part']/@element"):
            raise ValueError("wrappers are no elements of a schema")
        with tempfile.TemporaryDirectory() as folder:
            self.validate = etree.XMLSchema(file=str(write_all(Path(folder), schemas)))


def write_all(folder, schemas):
    """Each schema as a file, one for each namespace that includes these, and one that imports them all."""
    spaces = {}
    for number, (schema, _) in enumerate(schemas):
        spaces.setdefault(schema.get("targetNamespace"), []).append(f"{number}.xsd")
    names = {space: f"all-{n}.xsd" for n, space in enumerate(spaces)}
    for number, (schema, base) in enumerate(schemas):
        (folder / f"{number}.xsd").write_bytes(standalone(schema, base, names))
    for space, files in spaces.items():
        every = etree.Element(f"{XSD}schema", {"targetNamespace": space} if space else {})
        for file in files:
            etree.SubElement(every, f"{XSD}include", schemaLocation=file)
        etree.ElementTree(every).write(folder / names[space])
    main = etree.Element(f"{XSD}schema", targetNamespace="urn:castile:all")
    for space, file in names.items():
        etree.SubElement(
            main, f"{XSD}import", {"schemaLocation": file} | ({"namespace": space} if space else {})
        )
    etree.ElementTree(main).write(folder / "main.xsd")
    return folder / "main.xsd"


def inline(wsdl, seen):
    """The schemas that stand in a WSDL and in those it imports, each with the folder it starts from."""
    if wsdl in seen:
        return
    seen.add(wsdl)
    tree = etree.parse(str(wsdl))
    for schema in tree.findall(f".//{XSD}schema"):
        yield schema, wsdl.parent
    for location in tree.xpath("/*/*[local-name() = 'import']/@location"):
        yield from inline((wsdl.parent / location).resolve(strict=True), seen)


def standalone(schema, base, names):
    """A schema as a document whose references lead to files; prefixes declared around it are kept."""
    for child in schema:
        location = child.get("schemaLocation")
        if child.tag == f"{XSD}import" and child.get("namespace") in names:
            child.set("schemaLocation", names[child.get("namespace")])
        elif child.tag in (f"{XSD}import", f"{XSD}include", f"{XSD}redefine") and location:
            child.set("schemaLocation", str((base / location).resolve(strict=True)))
    return etree.tostring(schema, encoding="utf-8", xml_declaration=True, with_tail=False)


class Libxml2:
    """Validity of body elements that a schema of the WSDL declares."""

    def __init__(self):
        self.schemas = {}
        self.total = self.good = self.skipped = 0

    def read(self, label, wsdl, data):
        if wsdl not in self.schemas:
            try:
                self.schemas[wsdl] = Schemas(wsdl)
            except (ValueError, OSError, etree.LxmlError):
                # It needs other files, or libxml2 does not take it: its messages go unread.
                self.schemas[wsdl] = None
        schemas = self.schemas[wsdl]
        try:
            root = etree.fromstring(data)
        except etree.LxmlError as error:
            if "is not a valid URI" in str(error):
                # The namespace of its WSDL is a placeholder.
                self.skipped += 1
                return
            print(f"REFUSED {label}: libxml2: {error}")
            return
        body = next((root.find(f"{soap}Body") for soap in SOAP if root.find(f"{soap}Body") is not None), None)
        encoded = body is not None and any(c.get(f"{soap}encodingStyle") for c in body for soap in SOAP)
        # What SOAP encoding puts around values no schema describes.
        if schemas is None or body is None or not len(body) or encoded:
            self.skipped += 1
            return
        errors = [e for element in body for e in self.errors(schemas, element)]
        if any(reason in e for e in errors for reason in NOT_OURS):
            self.skipped += 1
            return
        self.total += 1
        self.good += not errors
        if errors:
            print(f"REFUSED {label}: libxml2: {errors[0]}")

    def errors(self, schemas, element):
        # In a tree of its own, so that its root is the element.
        schemas.validate(etree.ElementTree(copy.deepcopy(element)))
        return [error.message for error in schemas.validate.error_log]

    def sum(self):
        version = ".".join(map(str, etree.LIBXML_VERSION))
        files = sum(schemas is not None for schemas in self.schemas.values())
        return (
            f"libxml2 {version}: {self.good} of {self.total} messages of {files} WSDLs are valid"
            f" ({self.skipped} others are not read: of rpc style, or of schemas that libxml2 does not take)"
        )


def main():
    wellformed = Expat()
    valid = Libxml2() if etree else None
    for label, wsdl, data in messages(sys.stdin.buffer):
        wellformed.read(label, data)
        if valid:
            valid.read(label, wsdl, data)
    print(wellformed.sum())
    print(valid.sum() if valid else "SKIPPED: libxml2 is not asked, as this Python has no lxml")


main()
