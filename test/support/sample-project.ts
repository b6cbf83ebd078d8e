/** A realistic project for screenshots of the dashboard: emails with every outcome, and at least one row on every page. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import { invite } from '../../src/accounts/members/invitations.ts';
import { createProject } from '../../src/accounts/projects/projects.ts';
import type { Database } from '../../src/db/database.ts';
import { UNRESTRICTED } from '../../src/accounts/restrictions/restrictions.ts';
import { verifyManually } from '../../src/domains/verify-manually.ts';
import { rankOf } from '../../src/model/email-status.ts';
import { STATUS } from '../../src/sending/events/stored-status.ts';
import { decodeId, newUuid } from '../../src/model/ids.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { Suppressions } from '../../src/sending/suppress/suppressions.ts';
import { createTemplate } from '../../src/templates/save-template.ts';
import type { OpenedDashboard } from './dashboard.ts';
import { writeMetrics } from './metrics.ts';
import { insertRow } from './routes.ts';
import { soon } from './soon.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const DAY_MS = 86_400_000;
const MB = 1024 * 1024;
const ORDER = `<div style="font:16px/1.5 system-ui,sans-serif;color:#171b26;max-width:560px;margin:0 auto;padding:36px;background:#fff;border-radius:8px">
<p style="margin:0 0 32px;font-size:22px;font-weight:700;color:#1f5fd0">Acme</p><h1 style="margin:0 0 8px;font-size:26px">Your order has shipped</h1>
<p style="margin:0 0 24px">Hello Anna, order 4000 left our warehouse this morning and should be with you by Thursday.</p>
<table width="100%" cellspacing="0" style="border-collapse:collapse;font-size:15px"><tr style="border-bottom:1px solid #dde1e8"><td style="padding:10px 0">Ceramic pour-over set</td><td align="right">€ 48.00</td></tr>
<tr style="border-bottom:1px solid #dde1e8"><td style="padding:10px 0">Paper filters, 100</td><td align="right">€ 6.50</td></tr><tr><td style="padding:10px 0"><b>Total</b></td><td align="right"><b>€ 54.50</b></td></tr></table>
<p style="margin:28px 0"><a href="https://acme.example/" style="background:#1f5fd0;color:#fff;font-weight:700;padding:13px 20px;border-radius:6px;text-decoration:none">Track your parcel</a></p>
<p style="margin:0;font-size:14px;color:#5c6474">Questions? Reply to this email or see <a href="https://acme.example/help">our help pages</a>.</p></div>`;

/** The emails, oldest first. In the sandbox, the local part of the recipient decides the outcome (docs/operate/provider.md). */
const EMAILS: readonly (readonly [to: string, subject: string, tag?: string])[] = [
  ['delivered', 'Welcome to Acme', 'welcome'],
  ['bounced', 'Reset your password'],
  ['soft-bounced', 'Your invoice for November', 'invoice'],
  ['complained', 'News from Acme', 'news'],
  ['failed', 'Confirm your address'],
  ['delayed', 'Your invoice for November', 'invoice'],
  ['opened', 'Welcome to Acme', 'welcome'],
  ['clicked', 'Your order 4000 has shipped', 'order'],
];

/** Creates the contents of the project and waits until the emails have their outcomes. */
export async function addSampleProject(dashboard: OpenedDashboard): Promise<void> {
  const { service, projectUuid, organizationId } = dashboard;
  const { database } = service;
  // Change settings before the first request, because processes cache them with the key.
  await database
    .updateTable('projects')
    .set({ trackOpens: true, trackClicks: true })
    .where('id', '=', projectUuid)
    .execute();
  const api = service.client();
  await using receiver = await startWebhookReceiver();
  for (const domain of ['acme.example', 'shop.example']) await api.post('/v1/domains', { domain });
  await verifyManually(database, projectUuid, 'acme.example');
  const events = ['email.delivered', 'email.bounced', 'email.opened', 'email.clicked'];
  const { body: hook } = await api.post<{ id: string }>('/v1/webhooks', { url: receiver.url, events });
  await api.post('/v1/webhooks', { url: 'https://crm.acme.example/webhooks/posthorn', events });
  const ids: string[] = [];
  for (const [to, subject, tag] of EMAILS) {
    const { status, body } = await api.post<{ id: string }>('/v1/emails', {
      from: 'Acme <orders@acme.example>',
      to: [`${to}@example.com`],
      subject,
      html: ORDER,
      text: 'Hello Anna, order 4000 left our warehouse this morning.',
      ...(tag !== undefined && { tags: [tag] }),
    });
    assert.equal(status, 202);
    ids.push(body.id);
  }
  await soon(async () => {
    const { body } = await api.get<{ status: string }>(`/v1/emails/${ids.at(-1)}`);
    assert.equal(body.status, 'clicked');
  });
  // Replace the URL of the webhook after its deliveries, because screenshots should show a typical URL.
  const webhookId = decodeId('wh', hook.id) as string;
  await soon(async () => {
    const { status } = await database
      .selectFrom('emails as e')
      .select(STATUS.as('status'))
      .where('id', '=', decodeId('em', ids[5] ?? ''))
      .executeTakeFirstOrThrow();
    assert.equal(status, rankOf('delivered'));
    const due = await database
      .selectFrom('dueDeliveries')
      .select('id')
      .where('webhookId', '=', webhookId)
      .execute();
    assert.deepEqual(due, []);
  });
  await database
    .updateTable('webhooks')
    .set({ url: 'https://hooks.acme.example/mail' })
    .where('id', '=', webhookId)
    .execute();

  const html = '<p>Hello {{ name }},</p><p>order {{ order.id }} is on its way.</p>';
  const layoutId = newUuid();
  const createdAt = new Date();
  await database
    .insertInto('templatePieces')
    .values({
      projectId: projectUuid,
      id: layoutId,
      kind: 'layout',
      name: 'main',
      html: '<main>{% content %}</main>',
      text: '',
      createdAt,
      updatedAt: createdAt,
    })
    .execute();
  for (const [name, subject] of [
    ['order shipped', 'Your order {{ order.id }} has shipped'],
    ['welcome', 'Welcome, {{ name }}'],
  ] as const)
    await createTemplate(database, projectUuid, { name, subject, html, text: '', layoutId });
  await createApiKey(database, projectUuid, 'Staging', ['emails:send'], {
    restrictions: {
      ...UNRESTRICTED,
      recipients: ['*@acme.example'],
      expiresAt: new Date(Date.now() + 3 * DAY_MS),
    },
  });
  await addRejectedRequests(dashboard);
  await new Suppressions(database).add(projectUuid, { addresses: ['grace@elsewhere.example'] });
  for (const each of ['ann', 'bo']) await dashboard.mailbox(each);
  const { mailbox } = await dashboard.mailbox('ann');
  const { body: domains } = await api.get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
  const { body: mailboxes } = await api.get<{ data: { id: string }[] }>('/v1/mailboxes');
  await api.post('/v1/aliases', {
    domain_id: domains.data.find(({ is_hosted }) => is_hosted)?.id,
    local_part: 'sales',
    mailbox_ids: mailboxes.data.map(({ id }) => id),
  });
  await insertFileLink(database, mailbox);
  await addRoutes(dashboard, domains.data.find(({ is_hosted }) => !is_hosted)?.id);
  await api.post('/v1/directory', {
    name: 'Ada Lovelace',
    email: 'ada@acme.example',
    title: 'Head of Analysis',
    organization: 'Acme',
  });
  await createProject(database, organizationId, 'newsletter', 'paid');
  await dashboard.user('developer');
  const inviter = { role: 'owner', name: 'Ada owner', isOperator: false } as const;
  const invited = { email: 'grace@acme.example', role: 'developer', seesBodies: false } as const;
  await invite(database, organizationId, inviter, invited, null, async () => {});
  await addPastVolume(dashboard);
}

/** Adds a failing route with messages in every state, and a route whose messages are fetched. */
async function addRoutes({ service, projectUuid }: OpenedDashboard, domainId: string | undefined) {
  const { database } = service;
  const routeIds: string[] = [];
  for (const [localPart, url] of [
    ['support', 'https://desk.acme.example/incoming'],
    ['replies', undefined],
  ]) {
    const body = { domain_id: domainId, local_part: localPart, ...(url !== undefined && { url }) };
    const { status, body: route } = await service.client().post<{ id: string }>('/v1/routes', body);
    assert.equal(status, 201);
    routeIds.push(decodeId('rt', route.id) as string);
  }
  const [support = '', replies = ''] = routeIds;
  const key = { projectId: projectUuid, routeId: support };
  await insertRow(database, { projectId: projectUuid, routeId: replies }, { subject: 'Re: Your order 4000' });
  await insertRow(database, key, {
    status: 'delivered',
    attempts: 1,
    httpStatus: 200,
    subject: 'Where is my order?',
  });
  const error = 'connection refused';
  await insertRow(database, key, { status: 'failed', attempts: 12, subject: 'A broken cup', error });
  await insertRow(database, key, {
    status: 'pending',
    attempts: 2,
    httpStatus: 503,
    subject: 'Opening hours',
  });
  const hourAgo = new Date(Date.now() - 3_600_000);
  await database
    .updateTable('routes')
    .set({
      failingSince: hourAgo,
      lastFailureAt: hourAgo,
      lastSuccessAt: hourAgo,
      deferred: '7',
      lastDeferredAt: hourAgo,
    })
    .where('projectId', '=', projectUuid)
    .where('id', '=', support)
    .execute();
}

/** Sends requests with common mistakes, for the API log. */
async function addRejectedRequests({ service, projectUuid }: OpenedDashboard): Promise<void> {
  const email = {
    from: 'Acme <orders@acme.example>',
    to: ['anna@example.com'],
    subject: 'Your order',
    text: 'Hello Anna',
  };
  const { token } = await createApiKey(service.database, projectUuid, 'Reporting', ['emails:read']);
  const [client, reporting] = [service.client(), service.client(token)];
  const requests = [
    () => client.post('/v1/emails', { ...email, to: 'anna@example.com' }),
    () => client.post('/v1/emails', { ...email, subjekt: 'Your order', to: ['anna'] }),
    () => client.post('/v1/emails', { ...email, from: 'orders@acme.test' }),
    () => client.post('/v1/emails', undefined, { rawBody: '{"from": "orders@acme.example",}' }),
    () => client.get('/v1/emails/em_01M7X0JR7PEV0VHC0B1T6YJNFF'),
    () => client.delete('/v1/suppressions/anna@example.com'),
    () => reporting.post('/v1/emails', email),
    () => client.post('/v1/mailboxes', { local_part: 'help', password: 'correct horse battery staple' }),
  ];
  for (const send of requests) assert.ok((await send()).status >= 400);
  await soon(async () => {
    const rows = await service.database
      .selectFrom('rejectedRequests')
      .select('id')
      .where('projectId', '=', projectUuid)
      .execute();
    assert.equal(rows.length, requests.length);
  });
}

/** Inserts a link to one large file. @param tokenDigest by default, no token opens the link */
export async function insertFileLink(
  database: Database,
  mailbox: MailboxKey,
  tokenDigest: Buffer = randomBytes(32),
): Promise<void> {
  const [id, now] = [newUuid(), new Date()];
  await database
    .insertInto('fileLinks')
    .values({
      ...mailbox,
      id,
      tokenDigest,
      tokenSealed: '',
      isForDraft: false,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 14 * DAY_MS),
      subject: 'The model, as a film',
    })
    .execute();
  await database
    .insertInto('linkFiles')
    .values({
      ...mailbox,
      id: newUuid(),
      linkId: id,
      name: 'walk-through.mov',
      type: 'video/quicktime',
      octets: 1_200 * MB,
      received: 1_200 * MB,
      wholeAt: now,
      createdAt: now,
      touchedAt: now,
    })
    .execute();
}

/** Writes email counts of the past, without inserting that many emails. */
async function addPastVolume({ service: { database }, projectUuid }: OpenedDashboard): Promise<void> {
  // Retry, because the worker may insert counts for the current hour at the same time.
  await soon(async () => {
    await database.deleteFrom('emailMetrics').where('projectId', '=', projectUuid).execute();
    await writeMetrics(database, projectUuid, { perDay: 2_400 });
  });
}
