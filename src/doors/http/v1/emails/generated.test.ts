import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../../../test/support/any-text.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../../test/support/api.ts';
import type { SendEmail } from '../../../../contract/emails.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

const shortText = anyText({ maxLength: 60 });
const line = fc.string({ unit: 'grapheme', maxLength: 40 });
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const address = fc.oneof(
  { weight: 6, arbitrary: word.map((name) => `${name}@example.com`) },
  {
    weight: 2,
    arbitrary: fc.tuple(line, word).map(([name, local]) => `"${name}" <${local}@bücher.example>`),
  },
  { weight: 1, arbitrary: shortText },
);
/** Mostly values of `arbitrary`, sometimes any JSON. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 25, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() });

const body = fc.record(
  {
    from: mostly(
      fc.oneof(
        { weight: 6, arbitrary: word.map((name) => `x${name}@${HOSTED_DOMAIN}`) },
        { weight: 1, arbitrary: address },
      ),
    ),
    to: mostly(fc.array(address, { minLength: 1, maxLength: 4 })),
    cc: mostly(fc.array(address, { maxLength: 3 })),
    bcc: mostly(fc.array(address, { maxLength: 3 })),
    reply_to: mostly(address),
    subject: mostly(fc.oneof(line, shortText)),
    html: mostly(shortText),
    text: mostly(shortText),
    headers: mostly(
      fc.dictionary(
        fc.oneof(
          word.map((name) => `X-${name}`),
          shortText,
        ),
        line,
        { maxKeys: 3 },
      ),
    ),
    tags: mostly(fc.array(line, { maxLength: 3 })),
  },
  { requiredKeys: ['from', 'to', 'text'] },
);

test('no input causes a 5xx, and the API returns accepted emails as sent', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const { status, body: answer } = await api.project.client.post<{ id: string }>('/v1/emails', sent);
      assert.ok([202, 422].includes(status), String(status));
      if (status !== 202) return;
      accepted += 1;
      // The JSON round trip replaces the objects of the generator, which have no prototype.
      const email = JSON.parse(JSON.stringify(sent)) as SendEmail;
      const shown = (await api.project.client.get(`/v1/emails/${answer.id}`)).body;
      assert.deepEqual(
        [shown['from'], shown['to'], shown['subject'], shown['html'], shown['text']],
        [email.from, email.to, email.subject ?? '', email.html ?? '', email.text ?? ''],
      );
      assert.deepEqual(
        [shown['cc'], shown['bcc'], shown['reply_to'], shown['headers'], shown['tags']],
        [email.cc ?? [], email.bcc ?? [], email.reply_to ?? null, email.headers ?? {}, email.tags ?? []],
      );
    }),
    { numRuns: 200 },
  );
  assert.ok(accepted > 10, `only ${accepted} were accepted`);
});

for (const [name, path] of [
  ['verifying a domain', '/v1/domains'],
  ['testing a webhook', '/v1/webhooks'],
] as const) {
  test(`${name} returns 200 for an empty body and 422 for any other body`, async () => {
    const made =
      path === '/v1/domains'
        ? { domain: 'generated.example' }
        : { url: 'http://127.0.0.1:9/', events: ['email.sent'] };
    const { id } = (await api.project.client.post<{ id: string }>(path, made)).body;
    const action = path === '/v1/domains' ? 'verify' : 'test';
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (sent) => {
        const { status } = await api.project.client.post(`${path}/${id}/${action}`, sent);
        const takesIt = JSON.stringify(sent) === '{}';
        assert.equal(status, takesIt ? 200 : 422, JSON.stringify(sent));
      }),
      { numRuns: 30, examples: [] },
    );
  });
}
