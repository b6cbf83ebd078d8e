import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { bounceMessage } from '../../../test/support/bounce-message.ts';
import { BOUNCE_SAMPLES } from '../../../test/support/bounce-samples.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import { readReport } from './read-report.ts';

const samples = BOUNCE_SAMPLES.map(([, message]) => bounceMessage(message));

/** Reads a report and asserts that its values are within bounds. */
function check(raw: Buffer): void {
  // Measures processor time, because the machine may be busy.
  const before = process.cpuUsage();
  const report = readReport(raw);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000);
  if (report.kind !== 'dsn') return;
  assert.ok(report.recipients.length <= 200);
  for (const { action, address, replyCode, enhancedCode, diagnostic } of report.recipients) {
    assert.ok(diagnostic.length <= 1_000);
    assert.ok((address ?? '').length <= 4_096);
    // A report of a delivered message contains the server's reply code 250.
    const least = action === 'failed' || action === 'delayed' ? 400 : 200;
    assert.ok(replyCode === null || (replyCode >= least && replyCode <= 599));
    assert.ok(enhancedCode === null || /^[245]\.\d{1,3}\.\d{1,3}$/.test(enhancedCode));
    classifyReply({ replyCode, enhancedCode, text: diagnostic });
  }
}

type Change = { at: number; kind: 'cut' | 'flip' | 'splice' | 'repeat'; seed: number };

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom('cut', 'flip', 'splice', 'repeat'),
    seed: fc.nat(1_000_000),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Truncates the message, flips an octet, inserts a piece of another message, or repeats a piece of the message. */
function mutate(raw: Buffer, list: readonly Change[], others: readonly Buffer[]): Buffer {
  let bytes = Buffer.from(raw);
  for (const { at, kind, seed } of list) {
    const position = Math.floor(at * bytes.length);
    if (kind === 'cut') bytes = bytes.subarray(0, position);
    else if (kind === 'flip' && position < bytes.length) bytes[position] = seed & 0xff;
    else {
      const from = kind === 'splice' ? (others[seed % others.length] as Buffer) : bytes;
      const start = seed % (from.length + 1);
      const piece = from.subarray(start, start + (seed % 700));
      bytes = Buffer.concat([bytes.subarray(0, position), piece, bytes.subarray(position)]);
    }
  }
  return bytes;
}

describe('readReport of hostile messages', () => {
  it('never throws and stays within bounds for any octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (octets) => check(Buffer.from(octets))));
  });

  it('never throws and stays within bounds for samples that were truncated, spliced or changed in single octets', () => {
    fc.assert(
      fc.property(fc.nat(samples.length - 1), changes, (index, list) => {
        check(mutate(samples[index] as Buffer, list, samples));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('takes bounded time for a large message that repeats one hostile piece', () => {
    const head = Buffer.from(
      'From: <>\r\nSubject: Undelivered mail\r\nContent-Type: text/plain\r\n\r\nnot delivered\r\n',
    );
    const html = Buffer.from(
      'From: <>\r\nSubject: Undelivered mail\r\nContent-Type: text/html\r\n\r\nnot delivered\r\n',
    );
    const pieces =
      'a@b.example\n|<a@b.example>: |to a@b.example |@|a@|a.|550 |5.1.1 |>>> DATA\n<<< 5|{"Type":|{|"|\\|<|<a |&lt|>'
        .split('|')
        .concat(
          ' ',
          '\n',
          '\t',
          'to    ',
          'recipient: ',
          'Final-Recipient: rfc822; a@b.example\nAction: failed\n\n',
        );
    for (const piece of pieces) {
      const body = Buffer.from(piece.repeat(Math.ceil(3_000_000 / piece.length)));
      for (const start of [head, html]) check(Buffer.concat([start, body]));
    }
  });

  const lines = (line: string, octets: number): Buffer =>
    Buffer.from(line.repeat(octets / line.length), 'latin1');
  const multipart = (count: number, part: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('Subject: Undelivered mail\r\nContent-Type: multipart/mixed; boundary=b\r\n'),
      ...Array.from({ length: count }, () => Buffer.concat([Buffer.from('\r\n--b\r\n'), part])),
    ]);
  const status = 'Content-Type: message/delivery-status\r\n\r\n';
  const group = (diagnostic: string): string =>
    `Final-Recipient: rfc822; a@b.example\r\nStatus: 5.0.0 ${'b'.repeat(900)}\r\nDiagnostic-Code: smtp; ${diagnostic}\r\n\r\n`;
  const structures: [name: string, raw: () => Buffer][] = [
    [
      'headers of octets that are not UTF-8',
      () => multipart(38, Buffer.concat([Buffer.from('A: b\r\n'), lines('\xff\r\n', 260_000)])),
    ],
    [
      'parts that look like mailbox files',
      () => multipart(120, Buffer.concat([lines('From \xff\r\n', 79_000), Buffer.from('x\r\n')])),
    ],
    [
      'headers of fields',
      () => multipart(38, Buffer.concat([Buffer.from('A: b\r\n'), lines('a:b\r\n', 260_000)])),
    ],
    [
      'parts of HTML',
      () =>
        multipart(
          75,
          Buffer.concat([Buffer.from('Content-Type: text/html\r\n\r\n'), lines('<table><td>&lt;', 128_000)]),
        ),
    ],
    [
      'recipients with long words',
      () =>
        multipart(
          10,
          Buffer.from(status + group(`${'a'.repeat(900)}\r\n ${'a.'.repeat(450)}`.repeat(2)).repeat(20)),
        ),
    ],
  ];
  for (const [name, raw] of structures) {
    it(`takes bounded time for a large message of ${name}`, () => check(raw()));
  }

  const corpora = process.env['POSTHORN_CORPORA'];
  it('never throws and stays within bounds for mutated messages from the bounce corpus', {
    skip: corpora === undefined,
  }, () => {
    const folder = join(corpora ?? '', 'bounces');
    const files = readdirSync(folder).filter((name) => name.endsWith('.eml'));
    const messages = files.map((name) => readFileSync(join(folder, name)));
    fc.assert(
      fc.property(fc.nat(messages.length - 1), changes, (index, list) => {
        check(mutate(messages[index] as Buffer, list, messages));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
