"""Sends mail with Python's smtplib. Arguments: port, recipients. One message is large, one has non-ASCII text."""

import smtplib
import ssl
import sys
from email.message import EmailMessage

port, *recipients = sys.argv[1:]


def message(subject, text):
    made = EmailMessage()
    made["From"] = "a@sender.example"
    made["To"] = "undisclosed-recipients:;"
    made["Subject"] = subject
    made.set_content(text)
    return made


with smtplib.SMTP("127.0.0.1", int(port)) as server:
    server.send_message(message("smtplib", "hello\n.\n..\n"), to_addrs=recipients)
    server.send_message(message("smtplib large", "word " * 1_000_000), to_addrs=recipients)
    server.send_message(message("smtplib ünïcode", "grüße"), to_addrs=recipients)
    try:
        server.send_message(message("relayed", "no"), to_addrs=["victim@elsewhere.example"])
    except smtplib.SMTPRecipientsRefused as refused:
        assert refused.recipients["victim@elsewhere.example"][0] == 550
    else:
        raise SystemExit("relayed")

# The server has a self-signed test certificate.
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
with smtplib.SMTP("127.0.0.1", int(port)) as server:
    server.starttls(context=context)
    server.send_message(message("smtplib tls", "hello"), to_addrs=recipients)
