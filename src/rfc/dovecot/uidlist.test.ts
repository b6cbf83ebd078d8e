import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultUidl, parseUidlist } from './uidlist.ts';

const CASES: [what: string, text: string, messages: [string, number, string | null][]][] = [
  [
    'version 1',
    '1 1100 30\n3 a.b\n5 c.d:2,S\n',
    [
      ['a.b', 3, null],
      ['c.d', 5, null],
    ],
  ],
  [
    'version 3',
    '3 V1100 N30 Gff\n3 W5 S4 :a.b\n5 Pold-1 :c.d:2,S\n',
    [
      ['a.b', 3, null],
      ['c.d', 5, 'old-1'],
    ],
  ],
  ['version 3 with a colon in a unique-id', '3 V1100 N30\n3 Pa:b :c,S=1\n', [['c,S=1', 3, 'a:b']]],
  [
    'a unique-id that appears twice',
    '3 V1100 N30\n3 Px :a\n4 Px :b\n',
    [
      ['a', 3, 'x'],
      ['b', 4, null],
    ],
  ],
  [
    'UIDs that do not ascend',
    '3 V1100 N30\n3 :a\n3 :b\n2 :c\n4 :d\n',
    [
      ['a', 3, null],
      ['d', 4, null],
    ],
  ],
  ['lines that are not valid', '3 V1100 N30\nx\n0 :a\n3 b\n\n99999999999 :c\n', []],
];

for (const [what, text, messages] of CASES)
  test(`parseUidlist reads ${what}`, () => {
    const found = parseUidlist(text);
    assert.deepEqual([found?.uidValidity, found?.uidNext], [1100, 30]);
    assert.deepEqual(
      [...(found?.messages ?? [])].map(([file, { uid, uidl }]) => [file, uid, uidl]),
      messages,
    );
  });

for (const text of ['', '2 1100 30', '3 N30', '3 V0 N30', '1 1100', '3 V1100 Nx'])
  test(`parseUidlist rejects ${JSON.stringify(text)}`, () => assert.equal(parseUidlist(text), null));

test('UIDs of any file ascend and are below the next UID', () => {
  const line = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(50), fc.string()).map(([uid, file]) => `${uid} ${file}`),
  );
  fc.assert(
    fc.property(fc.constantFrom('1 5 6', '3 V5 N6'), fc.array(line), (first, lines) => {
      const found = parseUidlist([first, ...lines].join('\n')) ?? assert.fail();
      const uids = [...found.messages.values()].map(({ uid }) => uid);
      assert.ok(uids.every((uid) => uid > 0 && uid < found.uidNext));
    }),
  );
});

test("defaultUidl is Dovecot's default format", () =>
  assert.equal(defaultUidl(12, 1_275_660_208), '0000000c4c0907b0'));
