import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../model/app-error.ts';
import { parseJson, scanJson } from './json.ts';

function refusal(bytes: Buffer | string): AppError {
  try {
    parseJson(Buffer.from(bytes as string));
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  assert.fail('it was accepted');
}

for (const [what, bytes] of [
  ['truncated text', '{"a":'],
  ['a bare word', 'undefined'],
  ['a raw NUL', '"\0"'],
  ['a byte order mark', '\ufeff{}'],
  ['Latin-1', Buffer.from([0x22, 0xe9, 0x22])],
  ['a lone surrogate as bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['six megabytes of opening brackets', '['.repeat(6 * 1024 * 1024)],
  ['a million levels of objects', `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`],
] as const) {
  test(`a body with ${what} is rejected as malformed JSON`, () =>
    assert.equal(refusal(bytes as string).code, 'malformed-json'));
}

for (const [what, text] of [
  ['400,000 members', `{${Array.from({ length: 400_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
  ['two million empty lists', `[${'[],'.repeat(2_000_000)}[]]`],
  ['a million elements below a field', `{"tags":[${'1,'.repeat(1_000_000)}1]}`],
  ['10,001 values that end in the middle', `[${'1,'.repeat(10_001)}`],
] as const) {
  test(`a body with ${what} is rejected before it is parsed, and the error names the limit`, (t) => {
    const parse = t.mock.method(JSON, 'parse');
    const { code, message } = refusal(text);
    assert.equal(code, 'bad-request');
    assert.match(message, /more than 10,000 fields and list elements/);
    assert.equal(parse.mock.callCount(), 0);
  });
}

test('commas, brackets and braces in strings do not count as values', () => {
  assert.doesNotThrow(() => parseJson(Buffer.from(JSON.stringify({ html: '[{,"\\\\"}],'.repeat(20_000) }))));
});

test('brackets in strings do not count as nesting, whatever escapes precede them', () => {
  const text = `\\"\\\\${'[{'.repeat(20_000)}`;
  assert.doesNotThrow(() => parseJson(Buffer.from(`{"html":"${text}"}`)));
});

test('a small body with thousands of nesting levels is parsed', () => {
  assert.doesNotThrow(() => parseJson(Buffer.from(`${'['.repeat(2_000)}"\\u0041"${']'.repeat(2_000)}`)));
});

for (const [what, text, field] of [
  ['NUL in a field', '{"subject":"a\\u0000"}', 'subject'],
  ['a lone surrogate in a field', '{"html":"\\ud800"}', 'html'],
  ['a reversed surrogate pair', '{"html":"\\udc00\\ud800"}', 'html'],
  ['NUL in an element', '{"to":["a",["\\u0000"]]}', 'to'],
  ['NUL in a name below a field', '{"headers":{"X-\\u0000":"a"}}', 'headers'],
  ['NUL in the name of a field', '{"a\\u0000":1}', 'body'],
  ['NUL in a bare string', '"\\u0000"', 'body'],
  ['NUL below __proto__', '{"__proto__":"\\u0000"}', '__proto__'],
] as const) {
  test(`${what} is rejected with an error for ${field}`, () => {
    const error = refusal(text);
    assert.equal(error.code, 'validation-failed');
    assert.deepEqual(Object.keys(error.errors ?? {}), [field]);
  });
}

test('escaped surrogate pairs and other escaped characters are accepted', () => {
  assert.deepEqual(parseJson(Buffer.from('{"a":"\\u003cb\\u003e \\ud83d\\ude00"}')), { a: '<b> 😀' });
});

test('the last of several fields with the same name wins', () => {
  assert.deepEqual(parseJson(Buffer.from('{"a":1,"a":2}')), { a: 2 });
});

test('__proto__ is an ordinary field name', () => {
  const value = parseJson(Buffer.from('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ['__proto__']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...strings(inner)]);
}

test('parseJson reads any output of JSON.stringify, unless a string in the output is forbidden', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udc00', '\\'), fc.string()),
    maxLength: 3,
  });
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double(),
      fc.boolean(),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(values, (value) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const mayBe = strings(value).every((inner) => inner.isWellFormed() && !inner.includes('\0'));
      if (mayBe) assert.deepEqual(parseJson(bytes), JSON.parse(bytes.toString()));
      else assert.equal(refusal(bytes).code, 'validation-failed');
    }),
  );
});

/** The count that `scanJson` returns for a value, minus one: one for each list or object, and one for each comma. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, one) => sum + sizeOf(one), 1 + Math.max(0, inner.length - 1));
}

test('the scan counts the lists, objects and commas of a value, whatever its strings contain', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', ']', 'a', 'é', '日') });
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(values, (value) => {
      assert.equal(scanJson(' '.repeat(4_096) + JSON.stringify(value)), 1 + sizeOf(value));
    }),
  );
});

test('parsing arbitrary bytes returns a value or throws an AppError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        parseJson(Buffer.from(bytes));
      } catch (error) {
        assert.ok(error instanceof AppError);
      }
    }),
  );
});
