import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_REPLY_LINE, MAX_REPLY_LINES, type ReplyFault, ReplyParser } from './reply-parser.ts';
import type { SmtpReply } from './reply.ts';

interface Parsed {
  replies: SmtpReply[];
  fault: ReplyFault | null;
}

function parse(...chunks: (string | Buffer)[]): Parsed {
  const parser = new ReplyParser();
  const replies = chunks.flatMap((chunk) =>
    parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
  );
  return { replies, fault: parser.fault };
}

const ok: SmtpReply = { code: 250, lines: ['ok'] };

describe('ReplyParser', () => {
  const cases: [name: string, bytes: string, replies: SmtpReply[]][] = [
    ['one line', '250 ok\r\n', [ok]],
    ['a code without text', '250\r\n', [{ code: 250, lines: [''] }]],
    ['a code and a space', '354 \r\n', [{ code: 354, lines: [''] }]],
    ['several lines', '250-a\r\n250-b\r\n250 c\r\n', [{ code: 250, lines: ['a', 'b', 'c'] }]],
    ['a last line with only a code', '250-a\r\n250\r\n', [{ code: 250, lines: ['a', ''] }]],
    ['several replies', '250 ok\r\n550 no\r\n', [ok, { code: 550, lines: ['no'] }]],
    ['a bare LF', '250 ok\n250 ok\n', [ok, ok]],
    ['a CR inside a line', '250 o\rk\r\n', [{ code: 250, lines: ['o\rk'] }]],
    ['UTF-8', '550 köln\r\n', [{ code: 550, lines: ['köln'] }]],
    ['an unknown code', '571 no\r\n', [{ code: 571, lines: ['no'] }]],
    ['the start of a reply', '250 ok\r\n250-a\r\n250 b', [ok]],
    ['nothing', '', []],
  ];
  for (const [name, bytes, replies] of cases) {
    test(`the reply parser reads ${name}`, () => {
      assert.deepEqual(parse(bytes), { replies, fault: null });
    });
  }

  test('the reply parser reads bytes that are not UTF-8', () => {
    assert.deepEqual(parse(Buffer.from('550 k\xf6ln\r\n', 'latin1')).replies, [
      { code: 550, lines: ['k\ufffdln'] },
    ]);
  });

  test('the reply parser reads a reply with the longest line and the most lines', () => {
    const line = 'x'.repeat(MAX_REPLY_LINE - 5);
    assert.deepEqual(parse(`250 ${line}\r\n`).replies, [{ code: 250, lines: [line] }]);
    const { replies, fault } = parse(`${'250-\r\n'.repeat(MAX_REPLY_LINES - 1)}250 \r\n`);
    assert.deepEqual([replies[0]?.lines.length, fault], [MAX_REPLY_LINES, null]);
  });
});

describe('faults of ReplyParser', () => {
  const cases: [name: string, bytes: string, fault: ReplyFault][] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'not-a-reply'],
    ['an empty line', '\r\n', 'not-a-reply'],
    ['a code of class 1', '150 x\r\n', 'not-a-reply'],
    ['a code of class 6', '650 x\r\n', 'not-a-reply'],
    ['a code that is not a number', '2x0 x\r\n', 'not-a-reply'],
    ['two digits', '25\r\n', 'not-a-reply'],
    ['four digits', '2500 x\r\n', 'not-a-reply'],
    ['different codes in one reply', '250-a\r\n251 b\r\n', 'codes-differ'],
    ['a line without an end', `250 ${'x'.repeat(MAX_REPLY_LINE)}`, 'line-too-long'],
    ['a line above the limit', `250 ${'x'.repeat(MAX_REPLY_LINE)}\r\n`, 'line-too-long'],
    ['a reply without an end', '250-x\r\n'.repeat(MAX_REPLY_LINES + 1), 'reply-too-long'],
    [
      'a reply above the size limit',
      `250-${'x'.repeat(MAX_REPLY_LINE - 10)}\r\n`.repeat(17),
      'reply-too-long',
    ],
  ];
  for (const [name, bytes, fault] of cases) {
    test(`the reply parser stops with ${fault} at ${name}`, () => {
      assert.deepEqual(parse(`250 ok\r\n${bytes}`, '250 ok\r\n'), { replies: [ok], fault });
    });
  }
});

/** Bytes that are more often nearly valid than random bytes. */
const hostileBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('250 ', '250-', '550 ', '25', '\r\n', '\n', '\r', ' ', '-', '5.1.1', '\0', 'é'),
      fc.string({ maxLength: 20 }),
      fc.constant('x'.repeat(MAX_REPLY_LINE - 6)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join('')));

test('the reply parser returns the same replies for the same bytes in any chunks', () => {
  fc.assert(
    fc.property(
      fc.oneof(hostileBytes, fc.uint8Array({ maxLength: 200 }).map(Buffer.from)),
      fc.infiniteStream(fc.nat(40)),
      (bytes, sizes) => {
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(parse(...chunks), parse(bytes));
      },
    ),
  );
});
