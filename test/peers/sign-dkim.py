"""
Signs a message with dkimpy. Input on stdin: {"message", "selector", "key", "algorithm", "canonical": [header, body]}, output on stdout:
{"signed": base64}, both as JSON. The key is PEM, or the 32 bytes of Ed25519 in base64.
"""
import base64
import json
import sys

import dkim

request = json.load(sys.stdin)
message = request["message"].encode()
header, body = (name.encode() for name in request["canonical"])
signature = dkim.sign(
    message,
    request["selector"].encode(),
    b"acme.example",
    request["key"].encode(),
    canonicalize=(header, body),
    signature_algorithm=request["algorithm"].encode(),
    include_headers=[b"from", b"to", b"subject", b"date"],
)
json.dump({"signed": base64.b64encode(signature + message).decode()}, sys.stdout)
