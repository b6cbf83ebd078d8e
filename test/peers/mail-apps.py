"""Uses a mailbox with Python's IMAP and POP3 clients. Input on stdin: the login; output on stdout: the results; both as JSON."""
import imaplib
import json
import poplib
import sys

login = json.load(sys.stdin)
host, user, password = login["host"], login["user"], login["password"]
seen = {}

imap = imaplib.IMAP4(host, login["imapPort"])
imap.login(user, password)
imap.enable("UTF8=ACCEPT")
imap.logout()
imap = imaplib.IMAP4(host, login["imapPort"])
imap.starttls()
imap.login(user, password)
assert imap.create("Lists/2026")[0] == "OK"
seen["folders"] = sorted(line.decode().split(' "/" ')[1].strip('"') for line in imap.list()[1])
first = b"From: a@b.example\r\nSubject: =?utf-8?q?one?=\r\n\r\n.one\r\n"
appended = imap.append("INBOX", "(\\Seen $work)", imaplib.Time2Internaldate(1000000000), first)
assert appended[0] == "OK" and b"APPENDUID" in appended[1][0], appended
assert imap.append("INBOX", None, None, b"Subject: two\r\n\r\ntwo words\r\n")[0] == "OK"
seen["count"] = int(imap.select("INBOX")[1][0])
seen["found"] = imap.uid("SEARCH", None, "BODY", '"two words"')[1][0].decode()
kind, parts = imap.fetch("1:2", "(FLAGS BODY.PEEK[] RFC822.SIZE)")
seen["bytes"] = [part[1].decode() for part in parts if isinstance(part, tuple)]
assert imap.thread("REFERENCES", "UTF-8", "ALL")[1] == [b"(1)(2)"]
assert imap.sort("(REVERSE SUBJECT)", "UTF-8", "ALL")[1] == [b"2 1"]
assert imap.uid("STORE", "2", "+FLAGS", "(\\Flagged)")[0] == "OK"
assert imap.uid("MOVE", "1", "Lists/2026")[0] == "OK"
seen["status"] = imap.status("Lists/2026", "(MESSAGES UNSEEN)")[1][0].decode()
seen["quota"] = imap.getquotaroot("INBOX")[0]
assert imap.rename("Lists/2026", "Lists/old")[0] == "OK"
assert imap.subscribe("Lists/old")[0] == "OK"
assert imap.close()[0] == "OK"
imap.logout()

pop = poplib.POP3(host, login["pop3Port"])
pop.stls()
pop.utf8()
pop.user(user)
pop.pass_(password)
seen["stat"] = pop.stat()
seen["top"] = b"\n".join(pop.top(1, 0)[1]).decode()
seen["retrieved"] = b"\n".join(pop.retr(1)[1]).decode()
seen["uidl"] = pop.uidl(1).decode().split()[1:]
seen["capa"] = sorted(pop.capa())
pop.dele(1)
pop.quit()
print(json.dumps(seen))
