import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type FiledMessage, mboxEntry, readMbox } from './mbox.ts';

const MAX = 1_000_000;

async function read(file: Buffer, maxBytes = MAX, chunkBytes = 7): Promise<FiledMessage[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
  }
  const found: FiledMessage[] = [];
  for await (const message of readMbox(chunks(), maxBytes)) found.push(message);
  return found;
}

const text = (messages: readonly FiledMessage[]) => messages.map(({ raw }) => raw?.toString() ?? null);
const FROM = 'From a@b.example Sun Nov 22 19:10:39 2026\n';

describe('readMbox', () => {
  test('readMbox returns the written messages with flags, keywords and dates, for chunks of any size', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        'From here',
        '>From there',
        '>>From',
        'From x 10:00:00 2026',
        'Status: R',
        ' x',
        'X-Status: A',
        'a: b',
      ),
      fc.string(),
    );
    const message = fc.record({
      lines: fc.array(line.map((one) => one.replaceAll(/[\r\n]/g, ''))),
      letters: fc.subarray(['D', 'F', 'R', 'S', 'T']).map((letters) => letters.join('')),
      keywords: fc.uniqueArray(fc.constantFrom('$Forwarded', 'work', 'later')),
      seconds: fc.integer({ min: 0, max: 4_000_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message), fc.integer({ min: 1, max: 50 }), async (messages, chunkBytes) => {
        const written = messages.map(({ lines, seconds, ...rest }) => ({
          ...rest,
          raw: Buffer.from(lines.map((one) => `${one}\r\n`).join('')),
          date: new Date(seconds * 1_000),
        }));
        const file = Buffer.concat(written.map(({ raw, ...rest }) => mboxEntry(raw, rest)));
        // Lines inside the messages may look like status fields, and must stay in the messages.
        assert.deepEqual(await read(file, MAX, chunkBytes), written);
      }),
    );
  });

  const CASES: [name: string, file: string, messages: (string | null)[]][] = [
    ['reads one message', `${FROM}A: b\n\nhi\n\n`, ['A: b\r\n\r\nhi\r\n']],
    ['reads a file without an empty line at its end', `${FROM}A: b\n\nhi`, ['A: b\r\n\r\nhi\r\n']],
    ['reads CRLF line ends', `${FROM}A: b\n\nhi\n\n`.replaceAll('\n', '\r\n'), ['A: b\r\n\r\nhi\r\n']],
    [
      'reads two messages',
      `${FROM}A: 1\n\nx\n\n${FROM}A: 2\n\ny\n\n`,
      ['A: 1\r\n\r\nx\r\n', 'A: 2\r\n\r\ny\r\n'],
    ],
    [
      'reads bodies with unquoted From lines',
      `${FROM}A: 1\n\nx\nFrom me at 10:00 in 2026\n\nFrom now on\n`,
      ['A: 1\r\n\r\nx\r\nFrom me at 10:00 in 2026\r\n\r\nFrom now on\r\n'],
    ],
    ['returns nothing for an empty file', '', []],
    ['returns nothing for a file in another format', 'Subject: one message\n\nhi\n', []],
    ['reads empty messages', `${FROM}\n${FROM}`, ['', '']],
    ['skips leading empty lines', `\n\n${FROM}A: b\n\n`, ['A: b\r\n\r\n'.slice(0, 6)]],
  ];
  for (const [name, file, messages] of CASES)
    test(`readMbox ${name}`, async () => assert.deepEqual(text(await read(Buffer.from(file))), messages));

  test('readMbox skips a message that is too large, and returns the other messages', async () => {
    const large = `A: b\n\n${'x'.repeat(300_000)}\n${'y\n'.repeat(1_000)}`;
    const file = Buffer.from(`${FROM}A: 1\n\nx\n\n${FROM}${large}\n${FROM}A: 2\n\ny\n\n`);
    for (const chunkBytes of [1_000, 70_000, 1_000_000])
      assert.deepEqual(text(await read(file, 100_000, chunkBytes)), [
        'A: 1\r\n\r\nx\r\n',
        null,
        'A: 2\r\n\r\ny\r\n',
      ]);
  });

  test('readMbox returns the date of the From line if the date can be parsed', async () => {
    for (const [separator, iso] of [
      ['From a Sun Nov 22 19:10:39 2026', '2026-11-22T19:10:39.000Z'],
      ['From a@b  Sun Nov  2 19:10 2026', '2026-11-02T19:10:00.000Z'],
      ['From 1@xxx Sun Nov 22 19:10:39 +0200 2026', '2026-11-22T17:10:39.000Z'],
      ['From a Sun Nov 22 19:10:39 GMT 2026', '2026-11-22T19:10:39.000Z'],
      ['From a some day at 10:00 in 2026', null],
    ] as const)
      assert.equal((await read(Buffer.from(`${separator}\nA: b\n\n`)))[0]?.date?.toISOString() ?? null, iso);
  });
});
