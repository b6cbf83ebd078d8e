import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withCrlf } from '../../../rfc/message/line-ends.ts';
import { readStrictHeader } from '../../../rfc/message/strict-header.ts';
import { MailReader } from './mail-reader.ts';
import { type ReadMail, readMail } from './read-mail.ts';
import { resentMessage } from './resent-message.ts';

const HEADER = 'From: a@src.test\r\nTo: b@dst.test\r\n';

function read(mail: string | Buffer): ReadMail {
  const found = readMail(Buffer.from(mail as string));
  assert.ok(!('errors' in found), JSON.stringify(found));
  return found;
}

function bodyOf(data: Uint8Array): Buffer {
  const octets = Buffer.from(data);
  return octets.subarray(octets.indexOf('\r\n\r\n') + 4);
}

test('any body is accepted and sent as it is, apart from its line ends', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.constantFrom(
        'text/plain',
        'text/html; charset=utf-7',
        'multipart/mixed; boundary=b',
        'message/rfc822',
        'x',
      ),
      fc.constantFrom('', 'base64', 'quoted-printable', 'x-unknown'),
      (octets, type, encoding) => {
        const mail = Buffer.concat([
          Buffer.from(
            `${HEADER}Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n--b\r\n\r\n`,
          ),
          octets,
        ]);
        const { message, send } = read(mail);
        assert.deepEqual(bodyOf(message.data), bodyOf(withCrlf(mail)));
        for (const shown of [
          send.text ?? '',
          send.html ?? '',
          ...message.layout.files.map(({ name }) => name),
        ])
          assert.ok(!shown.includes('\0') && shown.isWellFormed());
        for (const { start, end } of message.layout.files)
          assert.ok(start <= end && end <= message.data.length);
      },
    ),
  );
});

test('any header is rejected, or sent as a header with one From field less than the composed header', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            'From: c@victim.test',
            'Bcc: x@victim.test',
            'Subject: =?utf-8?q?=0D=0AFrom:_x?=',
            ' folded',
          ),
          fc
            .tuple(fc.string({ maxLength: 10 }), fc.string({ maxLength: 20, unit: 'binary' }))
            .map(([name, value]) => `${name}: ${value}`),
        ),
        { maxLength: 8 },
      ),
      fc.constantFrom('\r\n', '\n', '\r'),
      (lines, end) => {
        const found = readMail(Buffer.from([`From: a@src.test`, ...lines, '', 'x', ''].join(end)));
        if ('errors' in found) return;
        const header = readStrictHeader(Buffer.from(found.message.data));
        assert.equal(header.fault, undefined);
        const names = header.fields?.map(({ name }) => name) ?? [];
        for (const name of ['from', 'to', 'cc', 'bcc', 'sender', 'reply-to'])
          assert.ok(!names.includes(name), name);
        for (const name of ['date', 'message-id', 'mime-version'])
          assert.equal(names.filter((each) => each === name).length, 1, name);
      },
    ),
  );
});

test('the fingerprint of a message with an idempotency key ignores boundaries, and covers the files', () => {
  const mail = (boundary: string, file: string) =>
    read(
      `${HEADER}Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n\r\nHi\r\n--${boundary}\r\nContent-Type: image/png\r\n\r\n${file}\r\n--${boundary}--\r\n`,
    ).fingerprint;
  assert.deepEqual(mail('one', 'x'), mail('two', 'x'));
  assert.notDeepEqual(mail('one', 'x'), mail('one', 'y'));
});

// The data of the shorter messages shares memory with other buffers.
for (const lines of [2_000, 3_000, 4_000, 5_000, 10_000, 100_000])
  test(`a message with ${lines} lines is read in a thread with the same result`, async () => {
    await using reader = new MailReader();
    const mail = `${HEADER}Date: Mon, 23 Nov 2026 03:00:00 +0000\r\nMessage-ID: <1@a.test>\r\n\r\n${'Grüße\n'.repeat(lines)}`;
    const found = await reader.read(Buffer.from(mail));
    assert.ok(found !== null && !('errors' in found));
    const here = read(mail);
    assert.deepEqual(Buffer.from(found.message.data), here.message.data);
    assert.deepEqual({ ...found.message.layout }, here.message.layout);
    assert.equal(found.send.text, here.send.text);
  });

test('large messages are read round-robin between projects', async () => {
  await using reader = new MailReader();
  const mail = Buffer.from(`${HEADER}\r\n${'Grüße\n'.repeat(10_000)}`);
  const order: string[] = [];
  await Promise.all(
    ['a', 'a', 'a', 'b'].map(async (project) => {
      await reader.read(mail, project);
      order.push(project);
    }),
  );
  assert.deepEqual(order, ['a', 'b', 'a', 'a']);
});

test('a message that is sent again has the same body, another Message-ID, and its bodies and files at their new positions', () => {
  const { message } = read(
    `${HEADER}Message-ID: <a-long-id-of-another-program-${'x'.repeat(50)}@a.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n--b\r\nContent-Type: image/png\r\n\r\nPNG\r\n--b--\r\n`,
  );
  const stored = Buffer.from(message.data);
  const again = resentMessage(
    stored,
    { bodyHash: Buffer.from(message.bodyHash), layout: message.layout },
    'src.test',
  );
  assert.deepEqual(bodyOf(again.data), bodyOf(stored));
  assert.match(again.messageId, /@src\.test>$/);
  const [file] = again.layout.files;
  assert.equal(again.data.toString('latin1', file?.start, file?.end), 'PNG');
  const { html } = again.layout;
  assert.equal(again.data.toString('latin1', html?.start, html?.end), 'Content-Type: text/html\r\n\r\n<p>');
});
