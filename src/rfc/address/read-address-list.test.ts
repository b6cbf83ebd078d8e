import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { formatMailbox, type ListedAddress, parseMailbox, readAddressList } from './index.ts';

/** `name|route|localPart|domain`, with a hyphen for null. */
function shown({ name, route, localPart, domain }: ListedAddress): string {
  return [name, route, localPart, domain].map((part) => part ?? '-').join('|');
}

const END = '-|-|-|-';
const LISTS: readonly [text: string, addresses: readonly string[]][] = [
  ['', []],
  [' , ,', []],
  ['a@b.test', ['-|-|a|b.test']],
  ['A B <a@b.test>, c@d.test', ['A B|-|a|b.test', '-|-|c|d.test']],
  ['"B, A" <a@b.test>', ['B, A|-|a|b.test']],
  ['"a \\"b\\"" <a@b.test>', ['a "b"|-|a|b.test']],
  ['"a b"@c.test', ['-|-|"a b"|c.test']],
  ['Joe "the\tnose" Q.Public <a@b.test>', ['Joe the\tnose Q.Public|-|a|b.test']],
  ['=?utf-8?q?J=C3=B6rg?= <a@b.test>', ['=?utf-8?q?J=C3=B6rg?=|-|a|b.test']],
  ['a@b.test (Anna (from) B)', ['Anna (from) B|-|a|b.test']],
  ['(c1) a (c2) @ (c3) b.test (Name) ()', ['Name|-|a|b.test']],
  ['Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>', ['Pete|-|pete|silly.test']],
  ['Mary <@node.test,@other.test:mary@example.net>', ['Mary|@node.test,@other.test|mary|example.net']],
  ['a . b @ c . test', ['-|-|a.b|c.test']],
  ['a@[192.0.2.1]', ['-|-|a|[192.0.2.1]']],
  [
    'Group:a@b.test, C <c@d.test>;, e@f.test',
    ['-|-|Group|-', '-|-|a|b.test', 'C|-|c|d.test', END, '-|-|e|f.test'],
  ],
  ['Undisclosed recipients:;', ['-|-|Undisclosed recipients|-', END]],
  ['(some comment)A Group :a@b.test', ['-|-|A Group|-', '-|-|a|b.test', END]],
  ['Jöрг <ü@ü.test>', ['Jöрг|-|ü|ü.test']],
  ['Ghost', ['-|-|Ghost|']],
  ['No Body', ['-|-|No Body|']],
  ['Empty <>', ['Empty|-||']],
  ['A <a@b.test', ['A|-|a|b.test']],
  ['"no end <a@b.test>', ['no end|-|a|b.test']],
  ['A <a@b.test> c@d.test, e@f.test', ['A c@d.test|-|a|b.test', '-|-|e|f.test']],
];

describe('readAddressList', () => {
  for (const [text, addresses] of LISTS) {
    it(`readAddressList reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readAddressList(text, 100).map(shown), addresses);
    });
  }

  it('readAddressList returns at most the given number of entries', () => {
    assert.equal(readAddressList('a@b.test,'.repeat(1_000), 10).length, 10);
  });

  it('readAddressList returns the original of formatted addresses', () => {
    const names = fc
      .string({ unit: fc.constantFrom(...'ab ,<>"\\;:().@é'), maxLength: 12 })
      .map((name) => name.trim());
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 4 }), (list) => {
        const written = list.map((name, at) => {
          const mailbox = parseMailbox(`a${at}@b.test`);
          assert.ok('address' in mailbox);
          return formatMailbox({ ...mailbox, displayName: name === '' ? null : name });
        });
        const read = readAddressList(written.join(', '), 10);
        assert.deepEqual(
          read.map(({ name, localPart, domain }) => [name ?? '', `${localPart}@${domain}`]),
          list.map((name, at) => [name, `a${at}@b.test`]),
        );
      }),
    );
  });

  it('readAddressList never throws, and takes bounded time for hostile texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a"\\(),:;<>@[] é') }), (text) => {
        assert.ok(readAddressList(text, 9).length <= 9);
      }),
    );
    for (const unit of [
      '"',
      '(',
      '<@,',
      '[',
      '\\',
      '"\\',
      ':',
      'a:',
      ' ',
      '<',
      'a@b,',
      '@',
      '((\\',
      '>"',
      '[(',
    ]) {
      const usedMs = processorClock();
      readAddressList(unit.repeat(40_000), 2_000);
      assert.ok(usedMs() < 1_000, unit);
    }
  });
});
