"""
Verifies the ARC chain of each message with dkimpy. Input on stdin: {"record": TXT, "messages": [base64]}. Output: "pass", "fail"
or "none" for each message, both as JSON.
"""
import base64
import json
import sys

import dkim

query = json.load(sys.stdin)


def txt(name, timeout=5):
    return query["record"].encode()


def verify(data):
    result, _, _ = dkim.arc_verify(data, dnsfunc=txt)
    return result.decode()


json.dump([verify(base64.b64decode(message)) for message in query["messages"]], sys.stdout)
