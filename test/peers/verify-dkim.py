"""
Verifies each DKIM signature of each message with dkimpy. Input on stdin: {"records": {name: TXT}, "messages": [base64]}.
Output: a list of [algorithm, "pass" or "fail"] for each message, both as JSON.
"""
import base64
import json
import sys

import dkim

query = json.load(sys.stdin)


def txt(name, timeout=5):
    record = query["records"].get(name.decode().rstrip("."))
    return None if record is None else record.encode()


def verify(data):
    results = []
    while True:
        message = dkim.DKIM(data)
        at = len(results)
        try:
            verifies = message.verify(idx=at, dnsfunc=txt)
        except dkim.ValidationError:
            verifies = False
        if not message.signature_fields:
            return results
        results.append([message.signature_fields[b"a"].decode(), "pass" if verifies else "fail"])


json.dump([verify(base64.b64decode(message)) for message in query["messages"]], sys.stdout)
