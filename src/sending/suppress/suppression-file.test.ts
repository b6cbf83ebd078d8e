import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import type { Suppression } from '../../contract/suppressions.ts';
import { csvLine } from '../../rfc/csv/csv.ts';
import { headOf, readSuppressions, SUPPRESSION_COLUMNS, suppressionLine } from './suppression-file.ts';

function read(text: string) {
  return readSuppressions(text, {
    head: headOf(text),
    isFirst: true,
    isEnd: true,
    reason: 'manual',
  });
}
const entriesOf = (text: string) => read(text).entries.map(({ address, reason }) => [address, reason]);

test('a file with one address per line is read, in any notation of addresses', () => {
  const text =
    'ann@dst.test\r\n\r\n"Lee, Bo" <bo@dst.test>\n"a b"@dst.test\n cid@dst.test , 550 no such user; really\n';
  assert.deepEqual(
    read(text).entries.map(({ address }) => address),
    ['ann@dst.test', 'bo@dst.test', '"a b"@dst.test', 'cid@dst.test'],
  );
});

const LISTS: readonly [of: string, text: string, entries: string[][]][] = [
  [
    'Postmark',
    'EmailAddress,SuppressionReason,Origin\na@x.test,HardBounce,Recipient\nb@x.test,SpamComplaint,Customer',
    [
      ['a@x.test', 'bounce'],
      ['b@x.test', 'complaint'],
    ],
  ],
  [
    'SendGrid',
    'email,reason,created\na@x.test,"550 5.7.1 marked as spam, said\nb@x.test",1700000000',
    [['a@x.test', 'manual']],
  ],
  [
    'a spreadsheet in Germany',
    'Name;E-Mail;Type\nAnn, Lee;a@x.test;Unsubscribed',
    [['a@x.test', 'unsubscribe']],
  ],
];
for (const [of, text, entries] of LISTS)
  test(`the list of ${of} is read by its column names`, () => {
    assert.deepEqual([entriesOf(text), read(text).refused], [entries, []]);
  });

test('invalid lines are reported, and the other lines are read', () => {
  const { entries, refused, lines } = read(
    'address,expires_at\na@x.test,2001-01-01\nno-address,\nb@x.test,2127-01-31\n',
  );
  assert.deepEqual(
    entries.map(({ address, expiresAt }) => [address, expiresAt?.getUTCFullYear()]),
    [['b@x.test', 2127]],
  );
  assert.deepEqual(
    refused.map(({ line, text }) => [line, text]),
    [
      [1, 'a@x.test,2001-01-01'],
      [2, 'no-address,'],
    ],
  );
  assert.equal(lines, 4);
});

test('an export can be imported', () => {
  const local = fc.stringMatching(/^[a-z+=-][a-z+=-]{0,5}$/);
  const entry = fc.record({
    address: fc.oneof(
      local.map((name) => `${name}@dst.test`),
      local.map((name) => `"${name} b"@dst.test`),
    ),
    reason: fc.constantFrom('manual', 'unsubscribe', 'bounce', 'complaint'),
    email_id: fc.constant(null),
    detail: fc.oneof(fc.constant(null), fc.record({ diagnostic: fc.string({ unit: 'grapheme' }) })),
    created_at: fc.constant('2026-11-20T15:04:05.123Z'),
    expires_at: fc.constantFrom(null, '2127-01-31T00:00:00.000Z'),
  }) satisfies fc.Arbitrary<Suppression>;
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (list) => {
      const text = csvLine(SUPPRESSION_COLUMNS) + list.map(suppressionLine).join('');
      const { entries, refused } = read(text);
      assert.deepEqual(refused, []);
      assert.deepEqual(
        entries.map(({ address, reason, expiresAt }) => [address, reason, expiresAt?.toISOString() ?? null]),
        list.map(({ address, reason, expires_at }) => [address, reason, expires_at]),
      );
    }),
  );
});

test('any file is read in bounded time', () => {
  for (const piece of ['"', '"\n', '"a\n', ' ', '@', "'", 'a@', ',"'])
    for (const first of ['', 'address\n']) {
      const usedMs = processorClock();
      read(first + piece.repeat(200_000 / piece.length));
      assert.ok(usedMs() < 2_000, JSON.stringify(piece));
    }
});
