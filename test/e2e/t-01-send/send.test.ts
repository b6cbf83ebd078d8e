import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Service, startService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

const run = promisify(execFile);

interface Detail {
  id: string;
  status: string;
  from: string;
  to: string[];
  subject: string;
  html: string;
  text: string;
  message_id: string;
  created_at: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const EMAIL = {
  from: 'Acme <hello@posthorn.localhost>',
  to: ['you@example.com'],
  subject: 'Hello',
  text: 'It works.',
};

async function send(email: Record<string, unknown>, headers: Record<string, string> = {}) {
  return service.client().post('/v1/emails', { ...EMAIL, ...email }, { headers });
}

async function whenStatus(id: string, status: string): Promise<Detail> {
  let detail: Detail | undefined;
  await eventually(async () => {
    detail = (await service.client().get<Detail>(`/v1/emails/${id}`)).body;
    return detail.status === status;
  }, 15_000);
  assert.equal(detail?.status, status);
  return detail;
}

test('an email is queued, sent and delivered, and its timeline shows each step', async () => {
  const { status, body } = await send({ to: ['a@example.com', 'b@example.com'] });
  assert.equal(status, 202);
  const detail = await whenStatus((body as { id: string }).id, 'delivered');
  assert.deepEqual(
    detail.events.map(({ type, recipient }) => [type, recipient]),
    [
      ['queued', null],
      ['sending', null],
      ['sent', null],
      ['delivered', 'a@example.com'],
      ['delivered', 'b@example.com'],
    ],
  );
  assert.equal(detail.events[2]?.detail?.['provider_message_id'], detail.message_id);
});

const outcomes: [localPart: string, status: string, timeline: string[]][] = [
  ['bounced', 'bounced', ['queued', 'sending', 'sent', 'bounced']],
  ['soft-bounced+label', 'bounced', ['queued', 'sending', 'sent', 'bounced']],
  ['complained', 'complained', ['queued', 'sending', 'sent', 'delivered', 'complained']],
  ['failed', 'failed', ['queued', 'sending', 'failed']],
  ['delayed', 'delivered', ['queued', 'sending', 'deferred', 'sent', 'delivered']],
  ['opened', 'opened', ['queued', 'sending', 'sent', 'delivered', 'opened']],
  ['clicked', 'clicked', ['queued', 'sending', 'sent', 'delivered', 'opened', 'clicked']],
];

for (const [localPart, status, timeline] of outcomes) {
  test(`the sandbox simulates the outcome that belongs to the local part ${localPart}`, async () => {
    const { body } = await send({ to: [`${localPart}@example.com`] });
    const detail = await whenStatus((body as { id: string }).id, status);
    assert.deepEqual(
      detail.events.map(({ type }) => type),
      timeline,
    );
  });
}

test('GET returns an email as it was sent, with an empty string for an absent body', async () => {
  const email = {
    from: 'Jörg <HELLO@Posthorn.localhost>',
    to: ['A <a@BÜCHER.example>', 'a@bücher.example'],
    subject: 'Grüße 😀',
    html: '<p>\u00a0x</p>',
  };
  const { body } = await send({ ...email, text: undefined });
  const detail = await whenStatus((body as { id: string }).id, 'delivered');
  const { from, to, subject, html, text } = detail;
  assert.deepEqual({ from, to, subject, html, text }, { ...email, text: '' });
});

test('a repeated request with the same idempotency key returns the same response, byte for byte', async () => {
  const headers = { 'Idempotency-Key': 'order-1' };
  const [first, twin] = await Promise.all([
    send({ subject: 'once' }, headers),
    send({ subject: 'once' }, headers),
  ]);
  const replay = await send({ subject: 'once' }, headers);
  assert.equal(first.text, twin.text);
  assert.equal(first.text, replay.text);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(
    [first, twin].map(({ headers }) => headers.get('idempotent-replayed')).toSorted(),
    ['true', null].toSorted(),
  );
});

test('a request that reuses an idempotency key with another body is rejected with 422', async () => {
  const headers = { 'Idempotency-Key': 'order-2' };
  await send({ subject: 'one' }, headers);
  const { status, body } = await send({ subject: 'two' }, headers);
  assert.equal(status, 422);
  assert.equal((body as { type: string }).type, '/errors/idempotency-key-reused');
});

test('an idempotency key can be reused after a request that was rejected', async () => {
  const headers = { 'Idempotency-Key': 'order-3' };
  assert.equal((await send({ to: ['nobody'] }, headers)).status, 422);
  assert.equal((await send({}, headers)).status, 202);
});

test('a sender with a domain that is not verified, or with a reserved address of the operator, is rejected with 422', async () => {
  const { status, body } = await send({ from: 'a@example.org' });
  assert.equal(status, 422);
  assert.equal((body as { type: string }).type, '/errors/domain-not-verified');
  const operator = await send({ from: 'Postmaster+x@posthorn.localhost' });
  assert.equal(operator.status, 422);
  assert.ok((operator.body as { errors: Record<string, string> }).errors['from']);
});

test('the pages of the list contain each email once, newest first, while new emails arrive', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 7; at++) ids.push(((await send({ tags: ['paged'] })).body as { id: string }).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = (await service.client().get(`/v1/emails?tag=paged&limit=3${query}`)).body as {
      data: { id: string }[];
      next_cursor: string | null;
    };
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
    await send({ tags: ['paged'] });
  } while (cursor !== null);
  assert.deepEqual(seen, ids.toReversed());
});

test('each filter of the list finds exactly the matching emails', async () => {
  const { body } = await send({
    from: 'Filter <filter@posthorn.localhost>',
    to: ['Bounced+f@EXAMPLE.net'],
    tags: ['f1', 'f2'],
  });
  const { id } = body as { id: string };
  const { created_at: createdAt } = await whenStatus(id, 'bounced');
  const later = new Date(Date.parse(createdAt) + 1).toISOString();
  const find = async (query: string): Promise<string[]> =>
    ((await service.client().get(`/v1/emails?${query}`)).body as { data: { id: string }[] }).data.map(
      (row) => row.id,
    );
  for (const query of [
    'tag=f1',
    'to=Bounced%2Bf@example.net',
    'from=filter@POSTHORN.localhost',
    `since=${createdAt}&tag=f2`,
    `until=${later}&tag=f1&status=bounced`,
  ]) {
    assert.deepEqual(await find(query), [id], query);
  }
  for (const query of [
    'tag=f',
    'tag=f1&status=sent',
    `tag=f1&until=${createdAt}`,
    `tag=f1&since=${later}`,
    'to=bounced@example.net',
  ]) {
    assert.deepEqual(await find(query), [], query);
  }
});

test('an email of another project is reported like an unknown email', async () => {
  const { body } = await send({});
  const cli = async (...args: string[]): Promise<string> =>
    (
      await run(process.execPath, ['src/doors/cli/main.ts', ...args], {
        env: { ...process.env, POSTHORN_DATA: service.dataDir },
      })
    ).stdout;
  await cli('project', 'create', '--name', 'other');
  const { token } = JSON.parse(
    await cli('key', 'create', '--project', 'other', '--name', 'k', '--scopes', 'emails:read', '--json'),
  ) as { token: string };
  const other = service.client(token);
  const theirs = await other.get(`/v1/emails/${(body as { id: string }).id}`);
  const unknown = await other.get('/v1/emails/em_01M7X0JR7PEV0VHC0B1T6YJNFF');
  const { instance: _one, ...answer } = theirs.body as Record<string, unknown>;
  const { instance: _other, ...unknownAnswer } = unknown.body as Record<string, unknown>;
  assert.deepEqual([theirs.status, answer], [404, unknownAnswer]);
  assert.deepEqual(((await other.get('/v1/emails')).body as { data: unknown[] }).data, []);
  assert.equal((await other.post('/v1/emails', EMAIL)).status, 403);
});

test('mail to a mailbox of this installation is delivered locally', async () => {
  const client = service.client();
  const domains = (await client.get('/v1/domains')).body as { data: { id: string; is_hosted: boolean }[] };
  const hosted = domains.data.find((domain) => domain.is_hosted);
  const made = await client.post('/v1/mailboxes', { domain_id: hosted?.id, local_part: 'newcomer' });
  const { id: mailboxId } = made.body as { id: string };
  const { body } = await send({ to: ['newcomer@posthorn.localhost'] });
  const detail = await whenStatus((body as { id: string }).id, 'delivered');
  assert.deepEqual(
    detail.events.map(({ type }) => type),
    ['queued', 'sending', 'sent', 'delivered'],
  );
  const delivered = detail.events.at(-1)?.detail;
  assert.equal(delivered?.['response'], '250 2.0.0 The message is in the mailbox');
  const mailbox = (await client.get(`/v1/mailboxes/${mailboxId}`)).body as { unread: number };
  assert.equal(mailbox.unread, 1);
});
