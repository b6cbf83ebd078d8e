"""Parses delivery status notifications with Python's email package: raw messages on stdin, results on stdout, both as JSON."""
import base64
import email
import email.policy
import json
import sys


def read(raw):
    message = email.message_from_bytes(base64.b64decode(raw), policy=email.policy.default)
    text, status, original = message.iter_parts()
    # The package represents each group of fields as a message.
    groups = [dict(group.items()) for group in status.get_payload()]
    inner = original.get_payload()
    return {
        "type": [message.get_content_type(), message.get_param("report-type")],
        "fields": {name: str(message[name]) for name in ("From", "To", "Subject", "Auto-Submitted", "References")},
        "parts": [part.get_content_type() for part in (text, status, original)],
        "text": text.get_content(),
        "message": {name: str(value) for name, value in groups[0].items()},
        "recipients": [{name: str(value) for name, value in group.items()} for group in groups[1:]],
        "original": inner[0].as_string() if isinstance(inner, list) else inner,
        "defects": [repr(defect) for part in message.walk() for defect in part.defects],
    }


json.dump([read(raw) for raw in json.load(sys.stdin)], sys.stdout)
