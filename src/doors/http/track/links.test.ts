// Runs in its own process: it counts all requests of the process.
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { queueEmailWith } from '../../../../test/support/emails.ts';
import { TrackingLinks } from '../../../sending/track/tracking-links.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { outcomes, trackingHits } from '../../../observe/instruments.ts';
import {
  assertPage,
  assertPrivate,
  BROWSER,
  FORM,
  forged,
  linksOf,
  ONE_CLICK,
  post,
  RECIPIENT,
  request,
  sentEmail,
  TARGET,
  type TrackedEvent,
} from './track.fixture.ts';

let api: RealApi;
let links: TrackingLinks;
before(async () => {
  api = await startRealApi();
  links = linksOf(api);
});
after(() => api[Symbol.asyncDispose]());

describe('the tracking pixel', () => {
  test('is a transparent image that is never cached, and its first load records an event', async () => {
    const email = await sentEmail(api);
    const response = await request(email.pixel);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'image/gif');
    assertPrivate(response);
    const gif = Buffer.from(await response.arrayBuffer());
    assert.equal(gif.subarray(0, 6).toString(), 'GIF89a');
    assert.deepEqual([gif.readUInt16LE(6), gif.readUInt16LE(8)], [1, 1]);
    await request(email.pixel);
    const events = await email.events();
    assert.equal(events.length, 1);
    assert.deepEqual(events[0]?.detail, {
      recipient: RECIPIENT,
      ip: '127.0.0.1',
      user_agent: BROWSER,
      is_machine: false,
    });
  });

  test('returns the same image for any token', async () => {
    const email = await sentEmail(api);
    const real = await request(email.pixel);
    const bytes = await real.arrayBuffer();
    const before = await email.read();
    const others = new TrackingLinks(createSecretKey(Buffer.alloc(32, 9)));
    const shape = ({ status, headers }: Response) => [
      status,
      [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    ];
    for (const url of [
      forged(email.pixel),
      email.unsubscribe.replace('/t/u/', '/t/o/'),
      email.click.replace('/t/c/', '/t/o/').replace(/\/[^/]*$/, ''),
      others.pixel(api.baseUrl, email.of),
      links.pixel(api.baseUrl, { ...email.of, recipientIndex: 7 }),
      links.pixel(api.baseUrl, { ...email.of, projectId: api.other.id }),
      links.pixel(api.baseUrl, { ...email.of, emailId: newUuid() }),
      `${api.baseUrl}/t/o/x`,
      `${api.baseUrl}/t/o/%00%E2%98%83`,
      `${api.baseUrl}/t/o/${'A'.repeat(14_000)}`,
      `${email.pixel}?x=1`,
    ]) {
      const response = await request(url);
      assert.deepEqual(shape(response), shape(real), url);
      assert.deepEqual(await response.arrayBuffer(), bytes);
    }
    assert.equal(await email.read(), before);
  });

  test('records two events if a machine and then a person load it', async () => {
    const email = await sentEmail(api);
    for (const userAgent of ['Mozilla/5.0', 'Mozilla/5.0', BROWSER, BROWSER, 'Mozilla/5.0'])
      await request(email.pixel, { headers: { 'user-agent': userAgent } });
    assert.deepEqual(
      (await email.events()).map(({ detail }) => detail['is_machine']),
      [true, false],
    );
  });
});

describe('a tracked link', () => {
  test('redirects to its target, and each click on it records an event', async () => {
    const email = await sentEmail(api);
    for (let at = 0; at < 3; at++) {
      const response = await request(email.click);
      assert.equal(response.status, 302);
      assert.equal(response.headers.get('location'), TARGET);
      assertPrivate(response);
      assert.equal(await response.text(), '');
    }
    const events = await email.events();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['clicked', 'clicked', 'clicked'],
    );
    assert.deepEqual(events[0]?.detail, {
      recipient: RECIPIENT,
      url: TARGET,
      ip: '127.0.0.1',
      user_agent: BROWSER,
      is_machine: false,
    });
  });

  test('still redirects after the 100th click, which is the last click that records an event', async () => {
    const email = await sentEmail(api);
    for (let at = 0; at < 10; at++) await Promise.all(Array.from({ length: 11 }, () => request(email.click)));
    assert.equal((await request(email.click)).headers.get('location'), TARGET);
    assert.equal((await email.events()).length, 100);
  });

  test('with an invalid signature returns 404 and records nothing', async () => {
    const email = await sentEmail(api);
    const before = await email.read();
    const [, token = '', target = ''] = /\/t\/c\/([^/]+)\/(.+)$/.exec(email.click) ?? [];
    const evil = Buffer.from('https://evil.example/<script>alert(1)</script>').toString('base64url');
    const others = new TrackingLinks(createSecretKey(Buffer.alloc(32, 9)));
    const unsubscribeToken = email.unsubscribe.split('/').at(-1) ?? '';
    for (const url of [
      forged(email.click),
      `${api.baseUrl}/t/c/${token}/${evil}`,
      `${api.baseUrl}/t/c/${token}/https%3A%2F%2Fevil.example%2F`,
      `${api.baseUrl}/t/c/${token}/${target}?url=https://evil.example`.replace(target, evil),
      `${api.baseUrl}/t/c/${token}/`,
      `${api.baseUrl}/t/c/${token}`,
      `${api.baseUrl}/t/c/${token}/${target}/`,
      `${api.baseUrl}/t/c/${token}/${'A'.repeat(14_000)}`,
      `${api.baseUrl}/t/c/${'A'.repeat(14_000)}/${target}`,
      `${api.baseUrl}/t/c/${unsubscribeToken}/${target}`,
      `${api.baseUrl}/t/c/${unsubscribeToken}/%20`,
      others.click(api.baseUrl, email.of, TARGET) ?? '',
      `${api.baseUrl}/t/`,
      `${api.baseUrl}/t/x/${token}`,
    ]) {
      const page = await assertPage(await request(url), 404, /This link does not work/);
      assert.ok(!page.includes('evil') && !page.includes(token.slice(0, 20)), url);
    }
    assert.equal(await email.read(), before);
  });

  test('for an unknown recipient or another project redirects and records no click', async () => {
    const email = await sentEmail(api);
    const before = await email.read();
    for (const of of [
      { ...email.of, projectId: api.other.id },
      { ...email.of, recipientIndex: 1 },
    ])
      assert.equal((await request(links.click(api.baseUrl, of, TARGET) ?? '')).status, 302);
    assert.equal(await email.read(), before);
  });

  test('that a browser prefetches records a click by a machine', async () => {
    const email = await sentEmail(api);
    await request(email.click, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    await request(email.click, { headers: { purpose: 'prefetch' } });
    assert.deepEqual(
      (await email.events()).map(({ detail }) => detail['is_machine']),
      [true, true],
    );
  });
});

test('HEAD returns the same status and headers as GET and records nothing', async () => {
  const email = await sentEmail(api);
  const before = await email.read();
  for (const [url, status] of [
    [email.pixel, 200],
    [email.click, 302],
    [forged(email.click), 404],
    [email.unsubscribe, 200],
    [`${api.baseUrl}/t/nothing`, 404],
  ] as const) {
    const head = await request(url, { method: 'HEAD' });
    assert.equal(head.status, status, url);
    assert.equal(await head.text(), '');
  }
  assert.equal((await request(email.click, { method: 'HEAD' })).headers.get('location'), TARGET);
  assert.equal(await email.read(), before);
});

test('a user agent is stored as printable ASCII with at most 500 characters', async () => {
  const email = await sentEmail(api);
  const socket = connect(Number(new URL(api.baseUrl).port), 'localhost');
  const { pathname } = new URL(email.pixel);
  socket.write(
    Buffer.from(
      `GET ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Agent: \xe9\t${'x'.repeat(2_000)}\r\n\r\n`,
      'latin1',
    ),
  );
  for await (const _ of socket);
  const [event] = await email.events();
  assert.equal(event?.detail['user_agent'], `??${'x'.repeat(498)}`);
});

test('the recorded IP address comes from the trusted proxy, and is null if invalid', async () => {
  await using behindProxy = await startRealApi({}, { trustedProxies: ['127.0.0.0/8', '::1'] });
  const ownLinks = linksOf(behindProxy);
  const { projectId, emailId } = await queueEmailWith(behindProxy.db.database, ['sending'], {
    projectId: behindProxy.project.id,
  });
  const click = ownLinks.click(behindProxy.baseUrl, { projectId, emailId, recipientIndex: 0 }, TARGET) ?? '';
  for (const forwarded of ['203.0.113.7', '2001:db8::7', 'unknown'])
    await request(click, { headers: { 'x-forwarded-for': forwarded } });
  const { body } = await behindProxy.project.client.get<{ events: TrackedEvent[] }>(
    `/v1/emails/${encodeId('em', emailId)}`,
  );
  const clicks = body.events.filter(({ type }) => type === 'clicked');
  assert.deepEqual(
    clicks.map(({ detail }) => detail['ip']),
    ['203.0.113.7', '2001:db8::7', null],
  );
});

test('the outcome of each tracking request is counted', async () => {
  const countsOf = async () => {
    const [hits, events] = await Promise.all([trackingHits.get(), outcomes.get()]);
    return new Map(
      [...hits.values, ...events.values].map(({ labels, value }) => [Object.values(labels).join(' '), value]),
    );
  };
  const email = await sentEmail(api, 'counted@dst.test');
  const before = await countsOf();
  for (const url of [email.pixel, email.pixel, email.click, forged(email.pixel), forged(email.click)])
    await request(url);
  for (const url of [email.unsubscribe, forged(email.unsubscribe)]) await post(url, ONE_CLICK, FORM);
  const counted = [...(await countsOf())].map(([name, value]) => [name, value - (before.get(name) ?? 0)]);
  assert.deepEqual(Object.fromEntries(counted.filter(([, value]) => value !== 0)), {
    'open recorded': 1,
    'open repeated': 1,
    'open refused': 1,
    'click recorded': 1,
    'click refused': 1,
    'unsubscribe recorded': 1,
    'unsubscribe refused': 1,
    opened: 1,
    clicked: 1,
  });
});
