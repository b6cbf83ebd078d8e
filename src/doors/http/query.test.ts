import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ListEmailsQuery } from '../../contract/emails.ts';
import { compileQuery } from './query.ts';

const parse = compileQuery(ListEmailsQuery);

for (const [text, values] of [
  ['', { limit: 50 }],
  ['&&', { limit: 50 }],
  ['limit=1', { limit: 1 }],
  ['limit=200&cursor=abc', { limit: 200, cursor: 'abc' }],
  ['cursor=', { limit: 50, cursor: '' }],
  ['cursor', { limit: 50, cursor: '' }],
  ['cursor=a=b', { limit: 50, cursor: 'a=b' }],
  ['to=a%2Bb@x.test', { limit: 50, to: 'a+b@x.test' }],
  ['tag=two+words', { limit: 50, tag: 'two words' }],
  ['%6Cimit=7', { limit: 7 }],
  ['from=%C3%A9@x.test', { limit: 50, from: 'é@x.test' }],
  [
    'since=2026-11-20T15:04:05Z&until=2026-11-20T16:04:05.5%2B01:00',
    {
      limit: 50,
      since: '2026-11-20T15:04:05Z',
      until: '2026-11-20T16:04:05.5+01:00',
    },
  ],
] as const) {
  test(`"${text}" is parsed`, () => assert.deepEqual(parse(text), { values, errors: null }));
}

for (const [text, field] of [
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=', 'limit'],
  ['limit=5.0', 'limit'],
  ['limit=0x10', 'limit'],
  ['limit=1e2', 'limit'],
  ['limit=%205', 'limit'],
  ['limit=99999999999999999999', 'limit'],
  ['limit=abc', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['limit=1&%6Cimit=1', 'limit'],
  ['page=2', 'page'],
  ['Limit=2', 'Limit'],
  ['limit[]=2', 'limit[]'],
  ['__proto__=2', '__proto__'],
  ['constructor=2', 'constructor'],
  ['cursor=%00', 'cursor'],
  ['cursor=%ED%A0%80', 'cursor'],
  ['cursor=%FF', 'cursor'],
  ['cursor=%', 'cursor'],
  ['cursor=\u00e9', 'cursor'],
  ['%=1', 'query'],
  ['status=unknown', 'status'],
  ['since=yesterday', 'since'],
  ['since=2026-02-30T00:00:00Z', 'since'],
  ['since=2026-11-20', 'since'],
  ['since=2026-13-20T00:00:00Z', 'since'],
  ['since=2026-11-20T15:04:05+01:00', 'since'],
] as const) {
  test(`"${text}" is rejected with an error for ${field}`, () => {
    const { errors } = parse(text);
    assert.deepEqual(Object.keys(errors ?? {}), [field]);
  });
}

test('the error of a parameter names the valid values', () => {
  assert.deepEqual(parse('limit=0').errors, { limit: 'must be an integer from 1 to 200' });
});

test('the response to a thousand unknown parameters reports only 20 of them', () => {
  const { errors } = parse(Array.from({ length: 1_000 }, (_, n) => `p${n}=1`).join('&'));
  assert.equal(Object.keys(errors ?? {}).length, 20);
});

test('any text is either parsed or rejected', () => {
  const pieces = fc.constantFrom(
    'limit',
    'cursor',
    '=',
    '&',
    '%',
    '%00',
    '%C3',
    '+',
    '1',
    '\u00ff',
    '__proto__',
    '[]',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join('')),
      ),
      (text) => {
        const { values, errors } = parse(text);
        assert.notEqual(values === null, errors === null);
      },
    ),
  );
});
