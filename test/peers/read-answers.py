"""Reads the automatic replies in an Inbox with Python's IMAP client and email package. Input: login; output: messages; both as JSON."""
import email
import email.policy
import imaplib
import json
import sys

FIELDS = ("From", "To", "Subject", "Auto-Submitted", "In-Reply-To", "References", "Return-Path")


def read(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    defects = [defect for part in message.walk() for defect in part.defects]
    defects += [defect for value in message.values() for defect in value.defects]
    return {
        **{name: ", ".join(map(str, message.get_all(name, []))) for name in FIELDS},
        "type": message.get_content_type(),
        "text": message.get_content(),
        "defects": [repr(defect) for defect in defects],
    }


login = json.load(sys.stdin)
imap = imaplib.IMAP4(login["host"], login["port"])
imap.login(login["user"], login["password"])
imap.select("INBOX", readonly=True)
numbers = imap.search(None, "HEADER", "Auto-Submitted", "auto-replied")[1][0].split()
json.dump([read(imap.fetch(number, "(BODY.PEEK[])")[1][0][1]) for number in numbers], sys.stdout)
imap.logout()
