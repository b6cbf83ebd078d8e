import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dotStuff, endOfData } from './dot-stuffing.ts';

const cases: [data: string, saturated: string][] = [
  ['a.b\r\n', 'a.b\r\n'],
  ['.\r\n', '..\r\n'],
  ['..\r\n', '...\r\n'],
  ['a\r\n.b\r\n', 'a\r\n..b\r\n'],
  ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
  ['.a\r\n.b\r\n.c\r\n', '..a\r\n..b\r\n..c\r\n'],
  ['a\n.\r\nb\r\n', 'a\n..\r\nb\r\n'],
  ['a\r.\r\nb\r\n', 'a\r..\r\nb\r\n'],
  ['', ''],
];
for (const [data, saturated] of cases) {
  test(`${JSON.stringify(data)} is sent as ${JSON.stringify(saturated)}`, () => {
    assert.equal(dotStuff(Buffer.from(data)).toString(), saturated);
  });
}

test('dotStuff does not copy a message without leading dots', () => {
  const data = Buffer.from('a\r\nb.\r\n');
  assert.equal(dotStuff(data), data);
});

test('the end of data is a dot on its own line', () => {
  assert.equal(endOfData(Buffer.from('a\r\n')), '.\r\n');
  assert.equal(endOfData(Buffer.from('a')), '\r\n.\r\n');
  assert.equal(endOfData(Buffer.from('a\n')), '\r\n.\r\n');
  assert.equal(endOfData(Buffer.alloc(0)), '.\r\n');
});

const message = fc
  .array(fc.constantFrom('.', '\r\n', '\r', '\n', 'a', '\0', 'é'), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join('')));

test('a stuffed message never contains the end of data, even for a server that is lenient about line ends', () => {
  fc.assert(
    fc.property(message, (data) => {
      assert.doesNotMatch(dotStuff(data).toString('latin1'), /(?:^|[\r\n])\.(?:[\r\n]|$)/);
    }),
  );
});

test('removing the dot-stuffing restores the message', () => {
  const lines = fc.array(fc.constantFrom('.', '..', '', 'a', '.a', 'a.'), { maxLength: 30 });
  fc.assert(
    fc.property(lines, (parts) => {
      const data = parts.map((line) => `${line}\r\n`).join('');
      const sent = dotStuff(Buffer.from(data)).toString();
      assert.equal(sent.replace(/(^|\r\n)\./g, '$1'), data);
    }),
  );
});
