import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { play, startTestListener, TestClient, type TestListener } from './dialogue.fixture.ts';

let listener: TestListener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

const GREETED = `
  S: 220 mx.example ESMTP
  C: EHLO client.example
  S: 250-mx.example
  S: 250-PIPELINING
  S: 250-SIZE 41943040
  S: 250-8BITMIME
  S: 250-SMTPUTF8
  S: 250-ENHANCEDSTATUSCODES
  S: 250 CHUNKING`;
const ADDRESSED = `${GREETED}
  C: MAIL FROM:<>
  S: 250 2.1.0 OK
  C: RCPT TO:<b+1@send.test>
  S: 250 2.1.5 OK`;

const dialogues: Record<string, string> = {
  'accepts a report, and another one after it': `${ADDRESSED}
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
  'answers pipelined commands in order': `${GREETED}
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
  'rejects all other recipients, including postmaster': `${GREETED}
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
  'accepts a message in chunks, in which a dot does not end it': `${ADDRESSED}
    C: BDAT 15
    R: Subject: one\\r\\n\\r
    S: 250 2.0.0 15 octets
    R: BDAT 6\\r\\n\\n.\\r\\n..BDAT 2 LAST\\r\\n\\r\\nQUIT\\r\\n
    S: 250 2.0.0 6 octets
    S: 250 2.6.0 Accepted
    S: 221 2.0.0 Bye
    S: (closed)`,
  'accepts chunks that are pipelined with RCPT, and discards rejected ones': `${GREETED}
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
  'rejects DATA, RCPT and MAIL between chunks, and RSET discards the chunks': `${ADDRESSED}
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
  'accepts HELO instead of EHLO': `
    S: 220 mx.example ESMTP
    C: HELO client
    S: 250 mx.example
    C: MAIL FROM:<>
    S: 250 2.1.0 OK`,
  'rejects commands in the wrong order': `
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
  'answers NOOP, VRFY, EXPN and HELP, and rejects STARTTLS and AUTH': `${GREETED}
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
  'says what is wrong with a command': `${GREETED}
    C: MAIL FROM:a@x.test
    S: 501 5.5.4 Invalid arguments
    C: MAIL FROM:<a@x.test> RET=FULL
    S: 555 5.5.4 This parameter is not supported
    C: MAIL FROM:<a@x.test> SIZE=41943041
    S: 552 5.3.4 Message too large
    C: MAIL FROM:<a@x.test> BODY=BINARYMIME
    S: 501 5.5.4 Invalid arguments
    C: MAIL FROM:<ä@x.test>
    S: 501 5.5.4 Invalid arguments
    C: MAIL FROM:<ä@x.test> SMTPUTF8
    S: 250 2.1.0 OK
    R: RCPT TO:<b+\\u0001@send.test>\\r\\n
    S: 500 5.5.2 Malformed command`,
  'ends the connection at the eleventh error': `
    S: 220 mx.example ESMTP
    ${'C: X\nS: 500 5.5.2 Unknown command\n'.repeat(10)}
    C: X
    S: 421 4.7.0 Too many errors
    S: (closed)`,
  'ends the connection at a line that is too long': `
    S: 220 mx.example ESMTP
    C: EHLO ${'x'.repeat(1_100)}
    S: 500 5.5.2 Line too long
    S: (closed)`,
  'defers the 101st recipient to the next message': `${GREETED}
    C: MAIL FROM:<>
    S: 250 2.1.0 OK
    ${'C: RCPT TO:<b+1@send.test>\nS: 250 2.1.5 OK\n'.repeat(100)}
    C: RCPT TO:<b+1@send.test>
    S: 452 4.5.3 Too many recipients`,
};
describe('a dialogue', () => {
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
      test(isSplit ? `${end}, in two packets` : end, async () => {
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
    test(`in a chunk: ${text}`, async () => {
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

  test('in a rejected chunk: all of it is discarded, in however many packets it arrives', () =>
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

  test('in a command', () =>
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

  test('after DATA', async () => {
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

  test('in chunks, where a dot has no meaning and a line end may span two chunks', async () => {
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

test('receives the content as it was sent, without dot stuffing', async () => {
  const before = listener.received.length;
  await play(listener.port, dialogues['accepts a report, and another one after it'] ?? '');
  assert.deepEqual(listener.received.slice(before), [
    { addressees: ['b+1@send.test'], data: 'Subject: one\r\n\r\n.dot\r\n' },
    { addressees: ['b+2@send.test'], data: '' },
  ]);
});
