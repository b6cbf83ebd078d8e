import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def verify_webhook(secret: str, signature: str, body: bytes, now: float | None = None) -> bool:
    """Returns whether a delivery comes from Posthorn and is recent.

    secret: the whole secret, "whsec_" included
    signature: the header X-Mail-Signature
    body: the bytes of the request as they arrived; parse them afterwards
    """
    timestamp = ""
    given = ""
    for part in signature.split(","):
        if part.startswith("t="):
            timestamp = part[2:]
        if part.startswith("v1="):
            given = part[3:]
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False

    signed = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    return hmac.compare_digest(expected, given.encode())
