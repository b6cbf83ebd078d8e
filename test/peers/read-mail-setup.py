"""Reads what mail apps are told with Python's own parsers: documents on stdin, what is in them on stdout, both as JSON."""
import json
import plistlib
import sys
import xml.etree.ElementTree as ElementTree


def texts(element):
    """Without namespaces."""
    children = [[child.tag.split("}")[-1], texts(child)] for child in element]
    return children or (element.text or "").strip()


given = json.load(sys.stdin)
json.dump(
    {
        "autoconfig": texts(ElementTree.fromstring(given["autoconfig"].encode())),
        "autodiscover": texts(ElementTree.fromstring(given["autodiscover"].encode())),
        "profile": plistlib.loads(given["profile"].encode(), fmt=plistlib.FMT_XML),
    },
    sys.stdout,
)
