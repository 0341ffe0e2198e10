"""Trees of XML: lxml's where it is installed, else those of the standard library."""

from __future__ import annotations

from typing import Any

try:
    from lxml import etree  # type: ignore[import-untyped, unused-ignore]

    _PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
except ImportError:  # pragma: no cover
    etree = None
    _PARSER = None
from xml.etree import ElementTree

from .._records import XML

__all__ = ["add", "element", "header", "parse", "text"]


def parse(document: bytes | str) -> Any:
    """The root of a document."""
    if isinstance(document, str):
        document = document.encode()
    if etree is not None:
        return etree.fromstring(document, _PARSER)
    return ElementTree.fromstring(document)


def text(tree: Any) -> bytes:
    """The bytes of a tree."""
    if etree is not None and isinstance(tree, etree._Element):
        return bytes(etree.tostring(tree, xml_declaration=True, encoding="utf-8"))
    return bytes(ElementTree.tostring(tree, encoding="utf-8", xml_declaration=True))


def element(tree: Any) -> XML:
    """An element as the core takes it, without what follows it."""
    if etree is not None and isinstance(tree, etree._Element):
        return XML(etree.tostring(tree, encoding="unicode", with_tail=False))
    return XML(ElementTree.tostring(tree, encoding="unicode"))


def header(envelope: Any) -> Any:
    """The header of an envelope, made where there is none."""
    soap = str(envelope.tag).rpartition("}")[0] + "}"
    found = envelope.find(f"{soap}Header")
    if found is None:
        found = envelope.makeelement(f"{soap}Header", {})
        envelope.insert(0, found)
    return found


def add(parent: Any, tag: str, text: str | None = None, **attributes: str) -> Any:
    """Adds an element."""
    child = parent.makeelement(tag, attributes)
    child.text = text
    parent.append(child)
    return child
