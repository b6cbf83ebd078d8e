import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { runs } from '../../test/support/property-runs.ts';
import {
  EMPTY_QUERY,
  type EmailQuery,
  idRange,
  OUTCOMES,
  timeOfBound,
  parseEmailQuery,
  printEmailQuery,
  type TimeBound,
  WORD_FIELDS,
} from './email-query.ts';
import { EMAIL_STAGES } from './email-status.ts';
import { decodeId, encodeId, newUuid } from './ids.ts';
import { QUEUE_STATES } from './queue-states.ts';
import { STREAMS } from './streams.ts';

const ID = encodeId('em', '01a0b1c2-d3e4-7f50-8123-456789abcdef');

const READ: readonly [text: string, query: Partial<EmailQuery>][] = [
  ['', {}],
  ['  \t ', {}],
  ['anna', { words: [{ field: 'any', text: 'anna' }] }],
  [
    'to:anna status:bounced since:7d tag:reset "order 42"',
    {
      words: [
        { field: 'to', text: 'anna' },
        { field: 'tag', text: 'reset' },
        { field: 'any', text: 'order 42' },
      ],
      status: 'bounced',
      since: { count: 7, unit: 'd' },
    },
  ],
  ['To:Anna STATUS:Bounced', { words: [{ field: 'to', text: 'Anna' }], status: 'bounced' }],
  ['subject:"order 42', { words: [{ field: 'subject', text: 'order 42' }] }],
  [String.raw`"a \"b\" \\c"`, { words: [{ field: 'any', text: String.raw`a "b" \c` }] }],
  ['Re: hi', { words: ['Re:', 'hi'].map((text) => ({ field: 'any', text })) }],
  ['https://x.test/?a=1', { words: [{ field: 'any', text: 'https://x.test/?a=1' }] }],
  ['foo:"a b"', { words: ['foo:', 'a b'].map((text) => ({ field: 'any', text })) }],
  ['tag:=reset tag:"=Größe M" tag:=', { tags: ['reset', 'Größe M', ''] }],
  ['queue:In-flight', { queue: 'in-flight' }],
  [
    'outcome:Hard domain:ACME.example provider:"GMX and WEB.DE"',
    { outcome: 'hard', domain: 'acme.example', provider: 'gmx and web.de' },
  ],
  ['"outcome:hard"', { words: [{ field: 'any', text: 'outcome:hard' }] }],
  ['stream:bulk', { words: [{ field: 'stream', text: 'bulk' }] }],
  ['until:2026-11-20', { until: { at: '2026-11-20' } }],
  ['since:2026-11-20t10:00z', { since: { at: '2026-11-20T10:00Z' } }],
  [ID, { id: ID }],
  [ID.toLowerCase(), { id: ID }],
  [`<${ID.slice(3).toLowerCase()}@acme.example>`, { id: ID }],
  [`id:${ID.slice(3, 9).toLowerCase()}`, { id: ID.slice(0, 9) }],
  [`"${ID}"`, { words: [{ field: 'any', text: ID }] }],
];

for (const [text, query] of READ) {
  test(`parses ${text}`, () => assert.deepEqual(parseEmailQuery(text), { ...EMPTY_QUERY, ...query }));
}

const WRONG: readonly [text: string, error: RegExp][] = [
  ['to:', /^to: needs a value/],
  ['anna tag:"" x', /^tag: needs a value/],
  ['status:lost', /^status:lost is not a status; use one of queued, /],
  ['status:sent status:failed', /^status: can be used only once/],
  ['outcome:lost', /^outcome:lost is not an outcome; use one of any, pending, /],
  ['domain:a.test domain:b.test', /^domain: can be used only once/],
  ['since:yesterday', /^since:yesterday is not a time/],
  ['until:2026-02-31', /^until:2026-02-31 is not a time/],
  ['id:ul', /^id:ul is not/],
  ['stream:fast', /^stream:fast is not a stream/],
  ['a '.repeat(13), /more than 12 words/],
  ['a'.repeat(501), /at most 500 characters/],
];

for (const [text, error] of WRONG) {
  test(`rejects ${text.slice(0, 40)} with an error message`, () => {
    const result = parseEmailQuery(text);
    assert.ok('error' in result);
    assert.match(result.error, error);
  });
}

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom('"', '\\', 'to:', 'em_', 'Re: x', '<a@b.test>', ID, `${ID.slice(3)}@x`, 'a"b', 'since:7d'),
);
const bound: fc.Arbitrary<TimeBound> = fc.oneof(
  fc.record({
    count: fc.nat(99_999),
    unit: fc.constantFrom('m' as const, 'h' as const, 'd' as const, 'w' as const),
  }),
  fc
    .date({ min: new Date('1971-01-01'), max: new Date('9998-01-01'), noInvalidDate: true })
    .map((date) => ({ at: date.toISOString() })),
);
const query: fc.Arbitrary<EmailQuery> = fc.record({
  words: fc.array(
    fc.oneof(
      fc.record({
        field: fc.constantFrom('any' as const, ...WORD_FIELDS.filter((field) => field !== 'stream')),
        // A tag that begins with an equals sign is an exact tag.
        text: word.map((text) => text.trim()).filter((text) => text !== '' && !text.startsWith('=')),
      }),
      fc.record({ field: fc.constant('stream' as const), text: fc.constantFrom(...STREAMS) }),
    ),
    { maxLength: 5 },
  ),
  tags: fc.array(
    word.map((text) => text.trim()),
    { maxLength: 2 },
  ),
  outcome: fc.option(fc.constantFrom(...OUTCOMES)),
  domain: fc.option(fc.constantFrom('acme.example', 'a"b')),
  provider: fc.option(fc.constantFrom('gmail', 'la poste')),
  queue: fc.option(fc.constantFrom(...QUEUE_STATES)),
  status: fc.option(fc.constantFrom(...EMAIL_STAGES)),
  since: fc.option(bound),
  until: fc.option(bound),
  id: fc.option(fc.integer({ min: 4, max: ID.length }).map((length) => ID.slice(0, length))),
});

test('parses the printed text of a query to the same query', () => {
  fc.assert(
    fc.property(query, (given) => {
      const text = printEmailQuery(given);
      fc.pre(text.length <= 500);
      assert.deepEqual(parseEmailQuery(text), structuredClone(given));
    }),
    { numRuns: runs(500) },
  );
});

test('parses any text without throwing', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 600 }), (text) => {
      const parsed = parseEmailQuery(text);
      if ('error' in parsed) assert.ok(parsed.error.length > 0);
      else assert.deepEqual(parseEmailQuery(printEmailQuery(parsed)), parsed);
    }),
    { numRuns: runs(500) },
  );
});

test('converts relative and absolute time bounds to points in time', () => {
  const now = Date.UTC(2026, 10, 20);
  assert.equal(timeOfBound({ count: 2, unit: 'h' }, now).toISOString(), '2026-11-19T22:00:00.000Z');
  assert.equal(timeOfBound({ count: 99_999, unit: 'w' }, now).getTime(), 0);
  assert.equal(timeOfBound({ at: '2026-11-01' }, now).toISOString(), '2026-11-01T00:00:00.000Z');
});

test('the range of an id or of its beginning contains the uuid', () => {
  const uuid = newUuid();
  const id = encodeId('em', uuid);
  for (let length = 4; length <= id.length; length++) {
    const { from, before } = idRange(id.slice(0, length));
    assert.ok(from <= uuid && uuid < before, id.slice(0, length));
  }
  assert.equal(idRange(id).from, decodeId('em', id));
});
