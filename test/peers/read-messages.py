"""Parses messages with Python's email package: paths on stdin, results on stdout, both as JSON."""
import email
import email.header
import email.policy
import email.utils
import json
import sys

ADDRESS_FIELDS = ("from", "to", "cc", "reply-to", "bcc")


def people(message, name):
    found = email.utils.getaddresses(message.get_all(name, []))
    return [[str(email.header.make_header(email.header.decode_header(n))), address] for n, address in found]


def read(path):
    with open(path, "rb") as file:
        # Read the file as text, because the package reports non-ASCII bytes in a header as damage, although RFC 6532 allows UTF-8.
        text = file.read().decode("utf-8")
    message = email.message_from_string(text, policy=email.policy.default)
    # Before Python 3.13, the package's newer API keeps the space between two encoded words of a name.
    older = email.message_from_string(text)
    defects = [defect for part in message.walk() for defect in part.defects]
    # Ignore the newer API's defects for non-ASCII local parts, which RFC 6532 allows.
    defects += [defect for value in message.values() for defect in value.defects if "NonASCII" not in repr(defect)]
    return {
        "fields": [[name, str(value)] for name, value in message.items()],
        "people": {name: people(older, name) for name in ADDRESS_FIELDS if name in older},
        "type": message.get_content_type(),
        "parts": [
            [part.get_content_type(), part.get_content()] for part in message.walk() if not part.is_multipart()
        ],
        "defects": [repr(defect) for defect in defects],
    }


json.dump([read(path) for path in json.load(sys.stdin)], sys.stdout)
