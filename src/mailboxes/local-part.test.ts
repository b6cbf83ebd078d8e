import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { anyText } from '../../test/support/any-text.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { localPartFault, localPartKey, mailboxKey } from './local-part.ts';

const DOMAIN = 'acme.example';

for (const localPart of [
  'sales',
  'Sales.Team_2-eu',
  "o'brien",
  'a'.repeat(64),
  'jörg',
  'jo\u0308rg',
  '用户',
  '=x=',
  '{a}',
]) {
  test(`${JSON.stringify(localPart)} may be the local part of a mailbox`, () => {
    assert.equal(localPartFault(localPart, DOMAIN), null);
  });
}

for (const [what, localPart] of [
  ['an empty text', ''],
  ['a space', ' '],
  ['a text with a space', 'sales team'],
  ['a quoted string', '"sales team"'],
  ['a quoted string that needs no quotes', '"sales"'],
  ['an address', 'sales@acme.example'],
  ['an address with a name', 'Sales <sales'],
  ['two dots in a row', 'sales..team'],
  ['a leading dot', '.sales'],
  ['a trailing dot', 'sales.'],
  ['a comment', 'sales(team)'],
  ['a line break', 'sales\r\nBcc: x'],
  ['NUL', 'sales\0'],
  ['an invisible character', 'sa\u200bles'],
  ['65 octets', 'a'.repeat(65)],
  ['66 octets in 33 characters', 'é'.repeat(33)],
  ['a tag', 'sales+eu'],
  ['a single plus', '+'],
  ['a full-width plus', 'sales＋eu'],
  ['a full-width at sign', 'sales＠acme'],
  ['an ellipsis', 'sales…'],
  ['a leading hyphen', '-rf'],
  ['a bang path', 'host!user'],
  ['a percent route', 'user%host'],
  ['a text that folds to more than 64 octets', 'ﷺ'.repeat(3)],
] as const) {
  test(`${what} is not a valid local part`, () => assert.notEqual(localPartFault(localPart, DOMAIN), null));
}

test('a local part that makes the address longer than 254 octets is rejected', () => {
  const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`;
  assert.equal(localPartFault('sales', domain), null);
  assert.notEqual(localPartFault('sales.department', domain), null);
});

for (const [a, b] of [
  ['sales', 'SALES'],
  ['sales', 'ｓａｌｅｓ'],
  ['sales', 'ſales'],
  ['jörg', 'jo\u0308RG'],
  ['strauß', 'STRAUSS'],
  ['σοφός', 'ΣΟΦΌΣ'],
  ['σοφόσ', 'ΣΟΦΌΣ'],
] as const) {
  test(`${a} and ${b} are the same local part`, () => assert.equal(localPartKey(a), localPartKey(b)));
}

test('different local parts have different keys', () => {
  const different = ['sales', 'sale', 'sales.', 'sa.les', 'sa-les', 'sälés', 'продажи'];
  assert.equal(new Set(different.map(localPartKey)).size, different.length);
});

test('the key of a key, in any letter case, is the same key', () => {
  const unicode = anyText({ maxLength: 20 });
  fc.assert(
    fc.property(unicode, (text) => {
      const key = localPartKey(text);
      assert.equal(localPartKey(key), key);
      assert.equal(localPartKey(text.toUpperCase()), key);
    }),
    { numRuns: runs(2_000) },
  );
});

for (const address of [
  'sales@x.test',
  'Sales+eu@x.test',
  'sales+@x.test',
  'sales+a+b@x.test',
  '"sales"@x.test',
  '"sales+e u"@x.test',
  '"s\\ales"@x.test',
  '" sales"@x.test',
  'ｓales＋x@x.test',
]) {
  test(`${address} belongs to the mailbox sales`, () => {
    const parsed = parseMailbox(address);
    assert.ok(!('error' in parsed));
    assert.equal(mailboxKey(parsed.localPart), 'sales');
  });
}

test('an address with any tag has the key of its local part', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(name, fc.stringMatching(/^[a-z]{0,5}$/), (localPart, tag) => {
      fc.pre(localPartFault(localPart, DOMAIN) === null);
      for (const form of [localPart, `${localPart}+${tag}`]) {
        const parsed = parseMailbox(`${form}@${DOMAIN}`);
        if ('error' in parsed) continue;
        assert.equal(mailboxKey(parsed.localPart), localPartKey(localPart));
      }
    }),
  );
});
