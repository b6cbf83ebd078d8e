"""
Signs a message with dkimpy. On stdin {"message", "selector", "key", "algorithm", "canonical": [header, body]}, on stdout
{"signed": base64}, both as JSON. The key is PEM, or the 32 bytes of Ed25519 in base64.
"""
import base64
import json
import sys

import dkim

given = json.load(sys.stdin)
message = given["message"].encode()
header, body = (name.encode() for name in given["canonical"])
signature = dkim.sign(
    message,
    given["selector"].encode(),
    b"acme.example",
    given["key"].encode(),
    canonicalize=(header, body),
    signature_algorithm=given["algorithm"].encode(),
    include_headers=[b"from", b"to", b"subject", b"date"],
)
json.dump({"signed": base64.b64encode(signature + message).decode()}, sys.stdout)
