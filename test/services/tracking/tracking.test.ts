import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER, PERSONS_USER_AGENT } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { isSigned } from '../../support/webhook-receiver.ts';
import { show, startWorld, type World } from './tracking.fixture.ts';

interface WebhookEvent {
  type: string;
  data: { email_id: string; status: string; to: string[]; event_payload: Record<string, unknown> };
}

describe('a tracked email', { skip: NO_BROWSER }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  const person = () => world.newPage({ userAgent: PERSONS_USER_AGENT });
  const orderUrl = () => `${world.site.url}/orders/1042?a=b&c=%C3%BC#items`;
  const htmlWithLink = () =>
    `<p>Hello</p><p><a href="${orderUrl().replace('&', '&amp;')}">Your order</a></p>`;

  /** The open and click events of an email. */
  async function reactions(id: string) {
    const { events } = await world.read(id);
    return events
      .filter(({ type }) => type === 'opened' || type === 'clicked')
      .map(({ type, detail }) => [type, detail?.['recipient'], detail?.['is_machine']]);
  }

  const eventsOf = (id: string): WebhookEvent[] =>
    world.hook.received
      .map(({ body }) => JSON.parse(body) as WebhookEvent)
      .filter(({ data }) => data.email_id === id)
      .toSorted((a, b) => (a.type < b.type ? 1 : -1));

  const trackedUrl = (html: string | undefined, kind: 'o' | 'c' | 'u') =>
    new RegExp(`http://localhost:\\d+/t/${kind}/[\\w/-]+`).exec(html ?? '')?.[0] ?? '';

  test("a person's open and click are on the timeline, and webhooks are called", async () => {
    const id = await world.send({ to: ['ann@dst.test'], html: htmlWithLink() });
    const email = await world.received('ann@dst.test');
    assert.ok(!email.html?.includes(world.site.url), 'the link is not tracked');
    assert.ok(email.text?.includes(world.site.url), 'the text part has changed');
    const page = await person();
    await show(page, email);
    assert.deepEqual(await reactions(id), [['opened', 'ann@dst.test', false]]);
    await Promise.all([page.waitForURL(orderUrl()), page.getByRole('link', { name: 'Your order' }).click()]);
    assert.equal(await page.title(), 'Shop');
    const [visit] = world.site.visits.filter(({ url }) => url === '/orders/1042?a=b&c=%C3%BC');
    assert.equal(visit?.headers.referer, undefined);

    const detail = await world.read(id);
    assert.equal(detail.status, 'clicked');
    const ip = detail.events.at(-1)?.detail?.['ip'];
    assert.match(String(ip), /^(?:127\.0\.0\.1|::1)$/);
    const who = { ip, user_agent: PERSONS_USER_AGENT, is_machine: false };
    const expected = [
      ['opened', { recipient: 'ann@dst.test', ...who }],
      ['clicked', { recipient: 'ann@dst.test', url: orderUrl(), ...who }],
    ];
    assert.deepEqual(
      detail.events.slice(-2).map(({ type, detail }) => [type, detail]),
      expected,
    );
    assert.ok(await eventually(() => eventsOf(id).length === 2, 60_000));
    assert.deepEqual(
      eventsOf(id).map(({ type, data }) => [type, data.event_payload]),
      expected.map(([type, payload]) => [`email.${String(type)}`, payload]),
    );
    for (const post of world.hook.received) assert.ok(isSigned(post, world.secret));
  });

  test('an open by a headless browser is recorded as made by a machine, and a later open by a person is recorded as well', async () => {
    const id = await world.send({ to: ['bob@dst.test'], html: htmlWithLink() });
    const email = await world.received('bob@dst.test');
    for (const page of [await world.newPage(), await person(), await person(), await world.newPage()])
      await show(page, email);
    assert.deepEqual(await reactions(id), [
      ['opened', 'bob@dst.test', true],
      ['opened', 'bob@dst.test', false],
    ]);
  });

  test('the links in the copy of a recipient identify only this recipient', async () => {
    const recipients = ['carl@dst.test', 'dora@dst.test', 'emil@dst.test'];
    const id = await world.send({
      to: recipients.slice(0, 2),
      bcc: recipients.slice(2),
      html: htmlWithLink(),
    });
    const copies = await Promise.all(recipients.map((recipient) => world.received(recipient)));
    assert.equal(new Set(copies.map(({ html }) => trackedUrl(html, 'o'))).size, 3);
    const page = await person();
    for (const copy of copies.slice(1)) await show(page, copy);
    assert.deepEqual(await reactions(id), [
      ['opened', 'dora@dst.test', false],
      ['opened', 'emil@dst.test', false],
    ]);
  });

  test('the HTML of an email is unchanged in a project without tracking', async () => {
    await world.posthorn('project', 'create', '--name', 'quiet');
    const key = await world.posthorn('key', 'create', '--project', 'quiet', '--name', 'k', '--json');
    const { token } = JSON.parse(key) as { token: string };
    await world.send({ to: ['fred@dst.test'], html: htmlWithLink() }, token);
    assert.ok((await world.received('fred@dst.test')).html?.includes(htmlWithLink()));
  });

  test('forged, repeated and swapped tracking requests record no events', async () => {
    const html = htmlWithLink();
    const [mine, other] = [
      await world.send({ to: ['gina@dst.test'], html }),
      await world.send({ to: ['hans@dst.test'], html: html.replace('1042', '1043') }),
    ];
    const page = await person();
    const email = await world.received('gina@dst.test');
    await show(page, email);
    const bytes = async (id: string) => (await world.service.client().get(`/v1/emails/${id}`)).text;
    const before = [await bytes(mine), await bytes(other)];

    const [pixel, click] = [trackedUrl(email.html, 'o'), trackedUrl(email.html, 'c')];
    const theirs = trackedUrl((await world.received('hans@dst.test')).html, 'c');
    const [token = '', target = ''] = click.split('/').slice(-2);
    const [theirToken = '', theirTarget = ''] = theirs.split('/').slice(-2);
    const headers = { 'user-agent': PERSONS_USER_AGENT };
    const evil = Buffer.from('https://evil.example/').toString('base64url');
    for (const url of [
      click.replace(target, theirTarget),
      click.replace(target, evil),
      click.replace(token, theirToken),
      click.replace(/(.{20})\/[^/]*$/, (_, end: string) => `${end.toLowerCase()}/${target}`),
      pixel.replace('/t/o/', '/t/c/'),
    ]) {
      const response = await fetch(url, { redirect: 'manual', headers });
      assert.deepEqual([response.status, response.headers.get('location')], [404, null], url);
    }
    for (const url of [pixel, pixel.replace(/[^/]+$/, token), `${pixel}A`, pixel.slice(0, -1)])
      assert.equal((await fetch(url, { headers })).status, 200);
    for (const url of [pixel, click]) await fetch(url, { method: 'HEAD', redirect: 'manual', headers });
    await show(page, email);
    assert.deepEqual([await bytes(mine), await bytes(other)], before);
  });

  describe('unsubscribing', () => {
    const newsletter = (to: string) => ({
      to: [to],
      html: '<p>News</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
      text: 'News\n\nUnsubscribe: {{unsubscribe_url}}',
      headers: { 'List-Unsubscribe': '<{{unsubscribe_url}}>' },
    });

    async function failsSuppressed(to: string): Promise<void> {
      const id = await world.send({ to: [to], html: '<p>Again</p>' });
      const { status, events } = await world.read(id);
      assert.equal(status, 'failed');
      assert.equal(events.at(-1)?.detail?.['reason'], 'suppressed');
    }

    test('a person who presses the unsubscribe button gets no further mail', async () => {
      const id = await world.send(newsletter('ida@dst.test'));
      const page = await person();
      await show(page, await world.received('ida@dst.test'));
      await page.getByRole('link', { name: 'Unsubscribe' }).click();
      await page.getByRole('heading', { name: 'Unsubscribe?' }).waitFor();
      const list = () => world.posthorn('suppression', 'list', '--project', 'default');
      assert.ok(!(await list()).includes('ida@dst.test'), 'following the link already unsubscribed');
      await page.getByRole('button', { name: 'Unsubscribe' }).press('Enter');
      await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
      assert.match(await list(), /ida@dst\.test\s.*unsubscribe/);
      await failsSuppressed('IDA@dst.test');
      assert.deepEqual(await reactions(id), [['opened', 'ida@dst.test', false]]);

      await world.posthorn('suppression', 'remove', '--project', 'default', '--address', 'ida@dst.test');
      assert.equal((await world.read(await world.send({ to: ['ida@dst.test'], text: 'Hi' }))).status, 'sent');
    });

    test('a mail client unsubscribes with one request to the URL in the header', async () => {
      await world.send(newsletter('jane@dst.test'));
      const { headers, text } = await world.received('jane@dst.test');
      const field = (name: string) => headers.find(({ key }) => key === name)?.value;
      assert.equal(field('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      const [, url = ''] = /^<(.+)>$/.exec(field('list-unsubscribe') ?? '') ?? [];
      assert.ok(text?.includes(url));
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      });
      assert.equal(response.status, 200);
      await failsSuppressed('jane@dst.test');
    });
  });
});
