import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { Suppressions } from '../../../sending/suppress/suppressions.ts';
import { TrackingLinks } from '../../../sending/track/tracking-links.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { elementsOf } from '../docs/page.fixture.ts';
import {
  assertPage,
  assertPrivate,
  BROWSER,
  FORM,
  forged,
  linksOf,
  ONE_CLICK,
  post,
  request,
  sentEmail,
} from './track.fixture.ts';

let api: RealApi;
let links: TrackingLinks;
before(async () => {
  api = await startRealApi();
  links = linksOf(api);
});
after(() => api[Symbol.asyncDispose]());

const suppressionOf = (address: string) => new Suppressions(api.db.database).find(api.project.id, address);

test('GET of an unsubscribe link shows a button and changes nothing', async () => {
  const email = await sentEmail(api, 'get@dst.test');
  const before = await email.read();
  for (const userAgent of [BROWSER, 'curl/8'])
    await assertPage(
      await request(email.unsubscribe, { headers: { 'user-agent': userAgent } }),
      200,
      /<form method="post">/,
    );
  assert.equal(await suppressionOf('get@dst.test'), null);
  assert.equal(await email.read(), before);
});

const multipart = new FormData();
multipart.set('List-Unsubscribe', 'One-Click');
for (const [what, body, headers] of [
  ['a form as mail programs send it', ONE_CLICK, FORM],
  [
    'a form with a charset',
    ONE_CLICK,
    { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
  ],
  ['a form with other fields', `a=b&${ONE_CLICK}`, FORM],
  ['multipart/form-data', multipart, {}],
  [
    'multipart/form-data with a quoted boundary',
    '--a b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--a b--\r\n',
    { 'content-type': 'multipart/form-data; boundary="a b"' },
  ],
] as const) {
  test(`${what} unsubscribes the recipient`, async () => {
    const address = `${what.replaceAll(/[^a-z]/g, '')}@dst.test`;
    const email = await sentEmail(api, address);
    const before = await email.read();
    const page = await assertPage(await post(email.unsubscribe, body, headers), 200, /You are unsubscribed/);
    assert.ok(!page.includes(address));
    const entry = await suppressionOf(address);
    assert.deepEqual(
      [entry?.reason, entry?.email_id, entry?.detail, entry?.expires_at],
      ['unsubscribe', encodeId('em', email.of.emailId), { source: 'one-click' }, null],
    );
    assert.equal(await email.read(), before);
  });
}

test('unsubscribing is idempotent, even concurrently', async () => {
  const email = await sentEmail(api, 'again@dst.test');
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(email.unsubscribe, ONE_CLICK, FORM)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const first = await suppressionOf('again@dst.test');
  await post(email.unsubscribe, ONE_CLICK, FORM);
  assert.deepEqual(await suppressionOf('again@dst.test'), first);
});

test('unsubscribing does not replace a complaint, which is a stronger suppression', async () => {
  const email = await sentEmail(api, 'angry@dst.test');
  await new Suppressions(api.db.database).add(api.project.id, {
    addresses: ['angry@dst.test'],
    reason: 'complaint',
  });
  assert.equal((await post(email.unsubscribe, ONE_CLICK, FORM)).status, 200);
  assert.equal((await suppressionOf('angry@dst.test'))?.reason, 'complaint');
});

test('unsubscribing affects only the project that sent the email', async () => {
  const email = await sentEmail(api, 'both@dst.test');
  await post(email.unsubscribe, ONE_CLICK, FORM);
  assert.equal(await new Suppressions(api.db.database).find(api.other.id, 'both@dst.test'), null);
});

for (const [what, body, headers] of [
  ['no body', null, {}],
  ['an empty form', '', FORM],
  ['another value', 'List-Unsubscribe=No', FORM],
  ['another field', 'Unsubscribe=One-Click', FORM],
  ['text', ONE_CLICK, { 'content-type': 'text/plain' }],
  ['JSON', '{"List-Unsubscribe":"One-Click"}', { 'content-type': 'application/json' }],
  ['an invalid media type', ONE_CLICK, { 'content-type': 'nonsense' }],
  ['multipart without a boundary', ONE_CLICK, { 'content-type': 'multipart/form-data' }],
  [
    'truncated multipart',
    '--a\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Cl',
    { 'content-type': 'multipart/form-data; boundary=a' },
  ],
] as const) {
  test(`an unsubscribe request with ${what} returns 400 and changes nothing`, async () => {
    const email = await sentEmail(api, 'stays@dst.test');
    const response = await post(email.unsubscribe, body, headers);
    assert.equal(response.status, 400);
    assertPrivate(response);
    assert.equal(await suppressionOf('stays@dst.test'), null);
  });
}

test('an unsubscribe request of more than 4 KiB returns 413', async () => {
  const email = await sentEmail(api, 'stays@dst.test');
  const long = `${ONE_CLICK}&a=${'x'.repeat(4_096)}`;
  const response = await post(email.unsubscribe, long, FORM);
  assert.equal(response.status, 413);
  assert.match(await response.text(), /larger than 4 KB/);
  assert.equal(await suppressionOf('stays@dst.test'), null);
});

test('an unsubscribe URL with the token of another kind of link returns 404 for every method', async () => {
  const email = await sentEmail(api, 'stays@dst.test');
  const others = new TrackingLinks(createSecretKey(Buffer.alloc(32, 9)));
  for (const url of [
    forged(email.unsubscribe),
    email.pixel.replace('/t/o/', '/t/u/'),
    others.unsubscribe(api.baseUrl, email.of),
    `${api.baseUrl}/t/u/x`,
  ]) {
    await assertPage(await request(url), 404, /This link does not work/);
    await assertPage(await post(url, ONE_CLICK, FORM), 404, /This link does not work/);
  }
  assert.equal(await suppressionOf('stays@dst.test'), null);
});

test('an unsubscribe link of an unknown recipient returns 404', async () => {
  const email = await sentEmail(api, 'stays@dst.test');
  for (const of of [
    { ...email.of, recipientIndex: 1 },
    { ...email.of, projectId: api.other.id },
    { ...email.of, emailId: newUuid() },
  ]) {
    const url = links.unsubscribe(api.baseUrl, of);
    await assertPage(await post(url, ONE_CLICK, FORM), 404, /This link does not work/);
  }
  assert.equal(await suppressionOf('stays@dst.test'), null);
});

test('all tracking pages are well-formed HTML', async () => {
  const email = await sentEmail(api, 'page@dst.test');
  for (const response of [
    await request(email.unsubscribe),
    await request(forged(email.click)),
    await post(email.unsubscribe, 'x', FORM),
    await post(email.unsubscribe, ONE_CLICK, FORM),
  ])
    elementsOf((await response.text()).replace(/<style>[^<]*<\/style>/, ''));
});
