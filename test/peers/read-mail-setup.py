"""Parses the setup documents for mail apps with Python's parsers: documents on stdin, contents on stdout, both as JSON."""
import json
import plistlib
import sys
import xml.etree.ElementTree as ElementTree


def texts(element):
    """The text or child elements of an element, without namespaces."""
    children = [[child.tag.split("}")[-1], texts(child)] for child in element]
    return children or (element.text or "").strip()


documents = json.load(sys.stdin)
json.dump(
    {
        "autoconfig": texts(ElementTree.fromstring(documents["autoconfig"].encode())),
        "autodiscover": texts(ElementTree.fromstring(documents["autodiscover"].encode())),
        "profile": plistlib.loads(documents["profile"].encode(), fmt=plistlib.FMT_XML),
    },
    sys.stdout,
)
