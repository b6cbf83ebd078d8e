import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { CONTENT_KEYWORD, SECRET_KEYWORD } from '../../contract/keywords.ts';
import { errorsWithoutContent, redact } from '../../contract/redact.ts';
import { FULL_ACCESS, restricted, startTestApi } from './api.fixture.ts';
import { OPERATIONS } from './v1/operations.ts';
import { compileCheck } from './validation.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Fields that are neither secret nor content. A new field of a request must get a mark, or be added here after a review. */
const STORED = new Set(
  [
    'createAlias.domain_id createAlias.local_part createAlias.mailbox_ids',
    'updateAlias.mailbox_ids',
    'createDomain.domain createDomain.region',
    'createMailbox.daily_send_limit createMailbox.display_name createMailbox.domain_id createMailbox.is_catch_all',
    'createMailbox.is_shared createMailbox.local_part createMailbox.quota_mb createMailbox.reply_to createMailbox.spam_level',
    'updateMailbox.daily_send_limit updateMailbox.display_name updateMailbox.is_catch_all updateMailbox.quota_mb',
    'updateMailbox.reply_to updateMailbox.spam_level',
    'createPerson.email createPerson.name createPerson.organization createPerson.title',
    'addSuppressions.addresses addSuppressions.expires_at addSuppressions.reason',
    'createWebhook.events updateWebhook.enabled updateWebhook.events',
    'createRoute.domain_id createRoute.local_part createRoute.mailbox_id createRoute.tag createRoute.format updateRoute.format',
    // Recipients, senders and tags of emails stay when bodies are deleted.
    ...['sendEmail', 'sendBatch.emails'].flatMap((email) =>
      ['bcc', 'cc', 'from', 'reply_to', 'scheduled_at', 'stream', 'tags', 'template_id', 'to'].map(
        (field) => `${email}.${field}`,
      ),
    ),
  ].flatMap((fields) => fields.split(' ')),
);

const BODIES = OPERATIONS.flatMap(({ operationId, body }) =>
  body === undefined ? [] : [[operationId, body as unknown as Schema] as const],
);

/** The paths of all unmarked fields. */
function unmarked(path: string, schema: Schema): string[] {
  assert.ok(!('$ref' in schema), `${path} is a reference, which redact does not resolve`);
  if (SECRET_KEYWORD in schema || CONTENT_KEYWORD in schema) return [];
  const { items, properties } = schema as { items?: Schema; properties?: Record<string, Schema> };
  if (items !== undefined) return unmarked(path, items);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, field]) => unmarked(`${path}.${name}`, field));
}

const FOUND = 'what-must-not-be-stored';

/** Any value for a schema. Marked fields, unknown fields and values of the wrong type contain `FOUND`. */
function valueOf(schema: Schema, marks: readonly string[]): fc.Arbitrary<unknown> {
  const hidden = fc.oneof(
    fc.constant(FOUND),
    fc.string().map((text) => text + FOUND),
    fc.constant([FOUND]),
    fc.constant({ x: FOUND }),
    fc.constant({ [FOUND]: 1 }),
    fc.constant({ password: { password: FOUND } }),
  );
  if (marks.some((mark) => mark in schema)) return hidden;
  const { items, properties } = schema as { items?: Schema; properties?: Record<string, Schema> };
  const hasObject = (items ?? schema)['properties'] !== undefined;
  const wrong = fc.oneof(
    fc.constant({ a: FOUND }),
    items === undefined ? fc.constant([FOUND]) : fc.constant(1),
    hasObject ? fc.constantFrom(FOUND, JSON.stringify({ password: FOUND })) : fc.constant(1),
  );
  if (items !== undefined) return fc.oneof(fc.array(valueOf(items, marks), { maxLength: 3 }), wrong);
  // The names of these fields are free, so nothing in the value is unknown.
  if (properties === undefined && schema['type'] === 'object') return fc.dictionary(fc.string(), fc.string());
  if (properties === undefined) return fc.oneof(fc.string(), fc.integer(), fc.constant(null), wrong);
  const known = Object.entries(properties).map(([name, field]) => [name, valueOf(field, marks)] as const);
  const object = fc
    .tuple(
      fc.record(Object.fromEntries(known), { requiredKeys: [] }),
      fc.dictionary(
        fc.string({ maxLength: 8 }).map((name) => `${name}~`),
        hidden,
        { maxKeys: 2 },
      ),
    )
    .map(([fields, others]) => ({ ...others, ...fields }));
  return fc.oneof({ weight: 8, arbitrary: object }, wrong);
}

suite('request bodies', () => {
  test('have a mark on every field, or the field was reviewed', () => {
    const fields = BODIES.flatMap(([name, schema]) => unmarked(name, schema));
    assert.deepEqual(fields.sort(), [...STORED].sort());
  });

  for (const [operationId, schema] of BODIES)
    test(`of ${operationId} lose secrets, unknown fields, and content that is not kept`, () => {
      for (const [marks, keepsContent] of [
        [[SECRET_KEYWORD], true],
        [[SECRET_KEYWORD, CONTENT_KEYWORD], false],
      ] as const)
        fc.assert(
          fc.property(valueOf(schema, marks), (body) => {
            const stored = JSON.stringify(redact(body, schema, { keepsContent }));
            assert.ok(!stored.includes(FOUND), stored);
          }),
          { numRuns: runs(2_000) },
        );
    });

  for (const [operationId, schema] of BODIES)
    test(`of ${operationId} have errors that quote no secret, and content only in names that can be removed`, () => {
      const check = compileCheck(schema);
      fc.assert(
        fc.property(valueOf(schema, [SECRET_KEYWORD, CONTENT_KEYWORD]), (body) => {
          const errors = JSON.stringify(errorsWithoutContent(check(structuredClone(body)) ?? {}));
          assert.ok(!errors.includes(FOUND), errors);
        }),
        { numRuns: runs(1_000) },
      );
    });
});

suite('the API log', () => {
  const EMAIL = { from: 'a@acme.example', to: 'ada@example.com', text: 'Hello' };

  test('gets every rejected request with a known key, and no other request', async () => {
    await using api = await startTestApi({ rateLimit: 1 });
    const { rejected } = api.services;
    const client = api.client(FULL_ACCESS);
    await api.client().post('/v1/emails', EMAIL);
    await api.client('svc_live_unknown').post('/v1/emails', EMAIL);
    await client.post('/v1/emails', { ...EMAIL, to: [EMAIL.to] });
    assert.equal(rejected.length, 0);
    await client.post('/v1/emails?debug=ada@example.com', EMAIL);
    await client.post('/v1/emails', undefined, { rawBody: '{' });
    await client.get('/v1/emails/em_unknown');
    await client.post('/v1/emails', undefined, { rawBody: 'x', headers: { 'content-type': 'text/plain' } });
    await client.post('/v1/emails', undefined, { rawBody: new Uint8Array(7 * 1024 * 1024) });
    await api.client(restricted('domains:read')).post('/v1/emails', EMAIL);
    for (let at = 0; at < 12; at++) await api.client(restricted('emails:read')).get('/v1/emails');
    const seen = rejected.map(
      ({ method, route, status, problem }) => `${status} ${problem} ${method} ${route}`,
    );
    assert.deepEqual(
      [...new Set(seen)],
      [
        '422 validation-failed POST /v1/emails',
        '400 malformed-json POST /v1/emails',
        '404 not-found GET /v1/emails/{id}',
        '400 unsupported-media-type POST /v1/emails',
        '413 payload-too-large POST /v1/emails',
        '403 missing-scope POST /v1/emails',
        '429 rate-limited GET /v1/emails',
      ],
    );
    const [invalid, malformed, unknown] = rejected;
    assert.deepEqual(invalid?.body, EMAIL);
    assert.deepEqual(Object.keys(invalid?.errors ?? {}), ['debug', 'to']);
    assert.equal(malformed?.body, undefined);
    assert.equal(unknown?.parameters['id'], 'em_unknown');
    assert.ok(!JSON.stringify(rejected).includes('debug=ada'));
  });

  test('gets the redacted body of a large request, too', async () => {
    await using api = await startTestApi();
    const body = { ...EMAIL, password: 'hunter2hunter2', html: 'word '.repeat(50_000) };
    await api.client(FULL_ACCESS).post('/v1/emails', body);
    const [request = assert.fail()] = api.services.rejected;
    assert.ok(JSON.stringify(request.body).length < 10_000);
    const { password, to } = request.body as Record<string, unknown>;
    assert.deepEqual([password, to], ['<unknown field>', EMAIL.to]);
  });

  test('gets requests that fail on our side', async () => {
    await using api = await startTestApi(
      {},
      {
        acceptEmail: async () => {
          throw new Error('broken');
        },
      },
    );
    await api.client(FULL_ACCESS).post('/v1/emails', { ...EMAIL, to: [EMAIL.to] });
    assert.deepEqual(
      api.services.rejected.map(({ status, problem }) => [status, problem]),
      [[500, 'internal']],
    );
  });
});
