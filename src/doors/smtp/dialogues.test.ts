import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { play, startTestListener, TestClient, type TestListener } from './dialogue.fixture.ts';

let listener: TestListener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

/** After MAIL: a recipient that exists, and an accepted message. */
const REST_OF_ACCEPTED = `C: RCPT TO:<b+1@send.test>
    S: 250 2.1.5 OK
    C: DATA
    S: 354 End with a dot on a line of its own
    R: Subject: news\\r\\n\\r\\n.\\r\\n
    S: 250 2.6.0 Accepted`;
const GREETED = `
  S: 220 mx.example ESMTP
  C: EHLO client.example
  S: 250-mx.example
  S: 250-PIPELINING
  S: 250-SIZE 41943040
  S: 250-8BITMIME
  S: 250-SMTPUTF8
  S: 250-ENHANCEDSTATUSCODES
  S: 250-CHUNKING
  S: 250 DSN`;
const ADDRESSED = `${GREETED}
  C: MAIL FROM:<>
  S: 250 2.1.0 OK
  C: RCPT TO:<b+1@send.test>
  S: 250 2.1.5 OK`;

const HTTP_LINE = 'POST / HTTP/1.1\\r\\n';

const dialogues: Record<string, string> = {
  'a request of a browser ends the session at any place of a command': `${ADDRESSED}
    R: ${HTTP_LINE}DATA\\r\\n
    S: 554 5.5.1 This port speaks SMTP, not HTTP
    S: (closed)`,

  'a message may contain the first line of an HTTP request, by DATA and by pipelined BDAT': `${ADDRESSED}
    C: DATA
    S: 354 End with a dot on a line of its own
    R: Subject: a\\r\\n\\r\\n${HTTP_LINE}.\\r\\n
    S: 250 2.6.0 Accepted
    C: MAIL FROM:<>
    S: 250 2.1.0 OK
    R: RCPT TO:<b+1@send.test>\\r\\nBDAT 17\\r\\n${HTTP_LINE}BDAT 17 LAST\\r\\n${HTTP_LINE}
    S: 250 2.1.5 OK
    S: 250 2.0.0 17 octets
    S: 250 2.6.0 Accepted`,

  'the octets of a rejected chunk are not read as commands, even if they are the first line of an HTTP request': `${GREETED}
    R: BDAT 17 LAST\\r\\n${HTTP_LINE}NOOP\\r\\n
    S: 503 5.5.1 Send MAIL first
    S: 250 2.0.0 OK`,

  'two messages in one session are accepted': `${ADDRESSED}
    C: DATA
    S: 354 End with a dot on a line of its own
    C: Subject: one
    C:
    C: ..dot
    C: .
    S: 250 2.6.0 Accepted
    C: MAIL FROM:<someone@x.test> BODY=8BITMIME SIZE=12
    S: 250 2.1.0 OK
    C: RCPT TO:<b+2@send.test>
    S: 250 2.1.5 OK
    C: DATA
    S: 354 End with a dot on a line of its own
    C: .
    S: 250 2.6.0 Accepted
    C: QUIT
    S: 221 2.0.0 Bye
    S: (closed)`,
  'pipelined commands get replies in order': `${GREETED}
    C: MAIL FROM:<>
    C: RCPT TO:<b+1@send.test>
    C: RCPT TO:<nobody@send.test>
    C: DATA
    S: 250 2.1.0 OK
    S: 250 2.1.5 OK
    S: 550 5.1.1 No such recipient
    S: 354 End with a dot on a line of its own
    C: a
    C: .
    C: QUIT
    S: 250 2.6.0 Accepted
    S: 221 2.0.0 Bye
    S: (closed)`,
  'recipients without a mailbox are rejected, including postmaster': `${GREETED}
    C: MAIL FROM:<a@x.test>
    S: 250 2.1.0 OK
    C: RCPT TO:<postmaster>
    S: 550 5.1.1 No such recipient
    C: RCPT TO:<postmaster@mx.example>
    S: 550 5.1.1 No such recipient
    C: RCPT TO:<someone@elsewhere.test>
    S: 550 5.1.1 No such recipient
    C: RCPT TO:<@mx.example:someone@elsewhere.test>
    S: 550 5.1.1 No such recipient
    C: RCPT TO:<"b+1@send.test"@elsewhere.test>
    S: 550 5.1.1 No such recipient
    C: DATA
    S: 503 5.5.1 Send RCPT first`,
  'a message in chunks is accepted, and a line with only a dot does not end the message': `${ADDRESSED}
    C: BDAT 15
    R: Subject: one\\r\\n\\r
    S: 250 2.0.0 15 octets
    R: BDAT 6\\r\\n\\n.\\r\\n..BDAT 2 LAST\\r\\n\\r\\nQUIT\\r\\n
    S: 250 2.0.0 6 octets
    S: 250 2.6.0 Accepted
    S: 221 2.0.0 Bye
    S: (closed)`,
  'chunks that are pipelined with RCPT are accepted, and rejected chunks are discarded': `${GREETED}
    C: BDAT 6
    R: QUIT\\r\\n
    S: 503 5.5.1 Send MAIL first
    C: MAIL FROM:<>
    C: BDAT 6 LAST
    R: QUIT\\r\\n
    C: RCPT TO:<nobody@send.test>
    C: BDAT 6 LAST
    R: QUIT\\r\\n
    C: RCPT TO:<b+1@send.test>
    C: BDAT 6 LAST
    R: QUIT\\r\\n
    C: NOOP
    S: 250 2.1.0 OK
    S: 503 5.5.1 Send RCPT first
    S: 550 5.1.1 No such recipient
    S: 503 5.5.1 Send RCPT first
    S: 250 2.1.5 OK
    S: 250 2.6.0 Accepted
    S: 250 2.0.0 OK`,
  'DATA, RCPT and MAIL between chunks are rejected, and RSET discards the chunks': `${ADDRESSED}
    C: BDAT 3
    R: a\\r\\n
    S: 250 2.0.0 3 octets
    C: DATA
    S: 503 5.5.1 The message was started with BDAT: continue with BDAT, or send RSET
    C: RCPT TO:<b+2@send.test>
    S: 503 5.5.1 The message was started with BDAT: continue with BDAT, or send RSET
    C: MAIL FROM:<>
    S: 503 5.5.1 This message already has a sender
    C: RSET
    S: 250 2.0.0 OK
    C: BDAT 0 LAST
    S: 503 5.5.1 Send MAIL first
    C: MAIL FROM:<>
    C: RCPT TO:<b+1@send.test>
    C: BDAT 0 LAST
    S: 250 2.1.0 OK
    S: 250 2.1.5 OK
    S: 250 2.6.0 Accepted`,
  'HELO is accepted instead of EHLO': `
    S: 220 mx.example ESMTP
    C: HELO client
    S: 250 mx.example
    C: MAIL FROM:<>
    S: 250 2.1.0 OK`,
  'commands in the wrong order are rejected': `
    S: 220 mx.example ESMTP
    C: MAIL FROM:<>
    S: 503 5.5.1 Send EHLO first
    C: RCPT TO:<b+1@send.test>
    S: 503 5.5.1 Send EHLO first
    C: DATA
    S: 503 5.5.1 Send EHLO first
    C: HELO x
    S: 250 mx.example
    C: RCPT TO:<b+1@send.test>
    S: 503 5.5.1 Send MAIL first
    C: DATA
    S: 503 5.5.1 Send MAIL first
    C: MAIL FROM:<>
    S: 250 2.1.0 OK
    C: MAIL FROM:<>
    S: 503 5.5.1 This message already has a sender
    C: DATA
    S: 503 5.5.1 Send RCPT first`,
  'RSET and HELO discard the sender and the recipients': `${ADDRESSED}
    C: RSET
    S: 250 2.0.0 OK
    C: DATA
    S: 503 5.5.1 Send MAIL first
    C: MAIL FROM:<>
    S: 250 2.1.0 OK
    C: HELO again
    S: 250 mx.example
    C: RCPT TO:<b+1@send.test>
    S: 503 5.5.1 Send MAIL first`,
  'NOOP, VRFY, EXPN and HELP get replies, and STARTTLS and AUTH are rejected': `${GREETED}
    C: NOOP
    S: 250 2.0.0 OK
    C: noop anything
    S: 250 2.0.0 OK
    C: VRFY b+1@send.test
    S: 252 2.1.5 This server does not verify addresses; send the message to find out
    C: EXPN staff
    S: 502 5.5.1 This server has no mailing lists
    C: HELP
    S: 214 2.0.0 This server accepts mail for its mailboxes, and reports about mail that it sent
    C: STARTTLS
    S: 502 5.5.1 STARTTLS is not offered
    C: AUTH PLAIN AGEAYg==
    S: 500 5.5.2 Unknown command`,
  'the reply to an invalid command says what is wrong': `${GREETED}
    C: MAIL FROM:me
    S: 501 5.5.4 Syntax: MAIL FROM:<address>
    C: MAIL FROM:<a@x.test> AUTH=<>
    S: 555 5.5.4 Unsupported parameter AUTH: this port has no sign-in
    C: MAIL FROM:<a@x.test> RET=ALL
    S: 501 5.5.4 RET must be FULL or HDRS
    C: MAIL FROM:<a@x.test> BY=120;R
    S: 555 5.5.4 Unsupported parameter BY
    C: MAIL FROM:<a@x.test> SIZE=41943041
    S: 552 5.3.4 Message too large: the limit is 40 MB
    C: MAIL FROM:<a@x.test> BODY=BINARYMIME
    S: 501 5.5.4 BODY must be 7BIT or 8BITMIME
    C: MAIL FROM:<ä@x.test>
    S: 553 5.6.7 A non-ASCII address requires the parameter SMTPUTF8 of MAIL
    C: MAIL FROM:<ä@x.test> SMTPUTF8
    S: 250 2.1.0 OK
    R: RCPT TO:<b+\\u0001@send.test>\\r\\n
    S: 500 5.5.2 Malformed command`,
  'a sender may request delivery reports': `${GREETED}
    C: MAIL FROM:<a@x.test> RET=HDRS ENVID=QQ+2B1
    S: 250 2.1.0 OK
    C: RCPT TO:<b+1@send.test> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;b+2B1@send.test
    S: 250 2.1.5 OK
    C: RCPT TO:<b+2@send.test> NOTIFY=NEVER
    S: 250 2.1.5 OK
    C: RCPT TO:<b+2@send.test> NOTIFY=ALWAYS
    S: 501 5.5.4 NOTIFY must be NEVER, or a list of SUCCESS, FAILURE and DELAY
    C: RCPT TO:<b+2@send.test> ORCPT=rfc822;a+0Db
    S: 501 5.5.4 ORCPT must be an address type, a semicolon, and an address in xtext
    C: RSET
    S: 250 2.0.0 OK
    C: MAIL FROM:<> RET=FULL
    S: 250 2.1.0 OK
    C: RCPT TO:<b+1@send.test> NOTIFY=SUCCESS
    S: 250 2.1.5 OK`,
  'addresses may have no brackets, and a dot at the end': `${GREETED}
    C: MAIL FROM:a@x.test SIZE=10
    S: 250 2.1.0 OK
    C: RCPT TO: b+1@send.test
    S: 250 2.1.5 OK
    C: RCPT TO:<b+2@send.test.>
    S: 250 2.1.5 OK`,
  'the 20th error ends the connection': `
    S: 220 mx.example ESMTP
    ${'C: X\nS: 500 5.5.2 Unknown command\n'.repeat(19)}
    C: X
    S: 421 4.7.0 Too many errors
    S: (closed)`,
  'a list with many dead addresses reaches the others': `${GREETED}
    C: MAIL FROM:<a@x.test>
    S: 250 2.1.0 OK
    ${'C: RCPT TO:<gone@send.test>\nS: 550 5.1.1 No such recipient\n'.repeat(99)}
    ${REST_OF_ACCEPTED}
    C: MAIL FROM:<a@x.test>
    S: 250 2.1.0 OK
    ${'C: RCPT TO:<gone@send.test>\nS: 550 5.1.1 No such recipient\n'.repeat(199)}
    C: RCPT TO:<gone@send.test>
    S: 421 4.7.0 Too many errors
    S: (closed)`,
  'an accepted message resets the error count': `${GREETED}
    ${'C: X\nS: 500 5.5.2 Unknown command\n'.repeat(19)}
    C: MAIL FROM:<a@x.test>
    S: 250 2.1.0 OK
    ${REST_OF_ACCEPTED}
    ${'C: X\nS: 500 5.5.2 Unknown command\n'.repeat(19)}
    C: X
    S: 421 4.7.0 Too many errors
    S: (closed)`,
  'a line that is too long ends the connection': `
    S: 220 mx.example ESMTP
    C: EHLO ${'x'.repeat(1_100)}
    S: 500 5.5.2 Line too long
    S: (closed)`,
  'the 101st recipient of a message is deferred': `${GREETED}
    C: MAIL FROM:<>
    S: 250 2.1.0 OK
    ${'C: RCPT TO:<b+1@send.test>\nS: 250 2.1.5 OK\n'.repeat(100)}
    C: RCPT TO:<b+1@send.test>
    S: 452 4.5.3 Too many recipients`,
};
describe('SMTP dialogues', () => {
  for (const [name, dialogue] of Object.entries(dialogues)) {
    test(name, () => play(listener.port, dialogue));
  }
});

const SECOND = 'MAIL FROM:<>\\r\\nRCPT TO:<b+2@send.test>\\r\\nDATA\\r\\nsmuggled\\r\\n.\\r\\nQUIT\\r\\n';
const LINE_ENDS = ['\\r\\n', '\\n', '\\r'];
const smuggled = [
  ...LINE_ENDS.flatMap((before) => LINE_ENDS.map((behind) => `${before}.${behind}`)).slice(1),
  '\\r\\r\\n.\\r\\r\\n',
  ' a\\rb\\r\\n.\\r\\n',
];
describe('SMTP smuggling ends the connection, and no message is received', () => {
  for (const end of smuggled) {
    for (const isSplit of [false, true])
      test(`${end} after DATA ends the connection${isSplit ? ', also in two packets' : ''}`, async () => {
        const before = listener.received.length;
        using client = await TestClient.connect(listener.port);
        await client.play(`${ADDRESSED}
          C: DATA
          S: 354 End with a dot on a line of its own`);
        const wire = JSON.parse(`"first${end}${SECOND}"`) as string;
        if (isSplit) await client.sendApart([wire.slice(0, 7), wire.slice(7)]);
        else client.send(wire);
        await client.play(`
          S: 521 5.5.2 Bare CR or LF received: lines must end with CRLF
          S: (closed)`);
        assert.equal(listener.received.length, before);
      });
  }

  for (const text of ['a\\rb', '\\r\\r\\n', 'a\\r', 'a\\n\\r']) {
    test(`${text} in a chunk ends the connection`, async () => {
      const before = listener.received.length;
      await play(
        listener.port,
        `${ADDRESSED}
        C: BDAT ${(JSON.parse(`"${text}"`) as string).length} LAST
        R: ${text}${SECOND}
        S: 521 5.5.2 Bare CR or LF received: lines must end with CRLF
        S: (closed)`,
      );
      assert.equal(listener.received.length, before);
    });
  }

  test('a rejected chunk with a bare LF is discarded to its end, and the connection stays open', () =>
    play(
      listener.port,
      `${GREETED}
      C: BDAT 600001
      R: \\n${'NOOP\\r\\n'.repeat(100_000)}
      C: QUIT
      S: 503 5.5.1 Send MAIL first
      S: 221 2.0.0 Bye
      S: (closed)`,
    ));

  test('a bare LF in a command ends the connection', () =>
    play(
      listener.port,
      `
      S: 220 mx.example ESMTP
      R: EHLO client\\nMAIL FROM:<>\\r\\n
      S: 521 5.5.2 Bare CR or LF received: lines must end with CRLF
      S: (closed)`,
    ));
});

describe('a bare LF becomes CRLF', () => {
  const message = JSON.parse('"Subject: one\\n\\ntwo\\n.three\\r\\n"') as string;

  test('a bare LF after DATA becomes CRLF', async () => {
    await play(
      listener.port,
      `${ADDRESSED}
      C: DATA
      S: 354 End with a dot on a line of its own
      R: Subject: one\\n\\ntwo\\n..three\\r\\n.\\r\\n
      C: QUIT
      S: 250 2.6.0 Accepted
      S: 221 2.0.0 Bye
      S: (closed)`,
    );
    assert.equal(listener.received.at(-1)?.data, message.replaceAll(/\r?\n/g, '\r\n'));
  });

  test('a bare LF in a chunk becomes CRLF, dots stay, and a line end may span two chunks', async () => {
    await play(
      listener.port,
      `${ADDRESSED}
      C: BDAT 8
      R: a\\n.\\n\\nb\\n\\r
      S: 250 2.0.0 8 octets
      C: BDAT 2 LAST
      R: \\nc
      S: 250 2.6.0 Accepted`,
    );
    assert.equal(listener.received.at(-1)?.data, 'a\r\n.\r\n\r\nb\r\n\r\nc');
  });
});

test('content before 354 ends the connection, because it could be read as commands', () =>
  play(
    listener.port,
    `${ADDRESSED}
    C: DATA
    C: Subject: too early
    S: 503 5.5.1 Wait for 354 before you send the message (RFC 2920)
    S: (closed)`,
  ));

test('the received content is the content as it was sent, without dot stuffing', async () => {
  const before = listener.received.length;
  await play(listener.port, dialogues['two messages in one session are accepted'] ?? '');
  assert.deepEqual(listener.received.slice(before), [
    { addressees: ['b+1@send.test'], data: 'Subject: one\r\n\r\n.dot\r\n' },
    { addressees: ['b+2@send.test'], data: '' },
  ]);
});
