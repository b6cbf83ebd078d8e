import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox, newMessage } from '../../../test/support/mail.ts';
import { sealedDatabase, type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newRoute } from '../../../test/support/routes.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { changeDomainMail, type DomainMail } from '../../domains/mx/change-mail.ts';
import { recordMx } from '../../domains/mx/record-mx.ts';
import { verifyManually } from '../../domains/verify-manually.ts';
import { reserveSender } from '../../mailboxes/reserved-addresses.ts';
import { newUuid } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { LocalDestination } from '../../sending/deliver/inside.ts';
import type { OutboundMessage } from '../../sending/deliver/provider.ts';
import { Store } from '../../store/store.ts';
import type { RoutedRecipient } from '../route/router.ts';
import type { Filed } from '../file/message-filing.ts';
import type { MailFromOutside } from '../file/mail-from-outside.ts';
import { InsideMailboxes, type InsideMailboxesOptions } from './inside-mailboxes.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const delivered: MailFromOutside[] = [];
const recipients: RoutedRecipient[] = [];
let answer: Filed = 'accepted';
const inside = (options: Partial<InsideMailboxesOptions> = {}) =>
  new InsideMailboxes({
    database: db.database,
    hostname: 'mx.example',
    hostedDomain: 'hosted.example',
    trustsManualVerification: false,
    mxWatch: { current: (_, known) => known, ownHosts: ['mx.example'] },
    filer: async () => ({
      file: async (mail, deliveries) => {
        delivered.push(mail);
        recipients.push(...deliveries);
        return answer;
      },
    }),
    ...options,
  });

interface TestMailbox {
  projectId: string;
  mailboxId: string;
  domain: string;
  address: string;
}

/** Creates a mailbox on its own domain. @param mx the host in the last definite DNS response; null if there was none */
async function createMailbox(
  status: 'pending' | 'verified' | 'warning' = 'verified',
  mx: string | null = 'mx.example',
): Promise<TestMailbox & { domainId: string }> {
  const mailbox = await newMailbox(db.database);
  const { domain, domainId } = await db.database
    .selectFrom('mailboxes')
    .select(['domain', 'domainId'])
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  await db.database.updateTable('domains').set({ status }).where('id', '=', domainId).execute();
  if (mx !== null) await recordMxHost(mailbox.projectId, domainId, domain, mx, 0);
  return { ...mailbox, domain, domainId, address: `Anna+tag@${domain}` };
}

/** Records a definite DNS response. @param minute the time of the response, in minutes after a fixed time */
async function recordMxHost(
  projectId: string,
  id: string,
  name: string,
  exchange: string,
  minute: number,
): Promise<void> {
  const at = new Date(Date.now() - 3_600_000 + minute * 60_000);
  const answer = { outcome: 'found', records: [{ priority: 10, exchange }] } as const;
  await recordMx(db.database, { projectId, id, name }, ['mx.example'], answer, at);
}

const isLocal = (found: Awaited<ReturnType<InsideMailboxes['find']>>): boolean =>
  found !== null && 'handOver' in found;

/** The local destination of an address. @throws if mail to the address is sent outside */
async function localDestinationOf(address: string): Promise<LocalDestination> {
  const destination = await inside().find(address);
  assert.ok(destination !== null && 'handOver' in destination);
  return destination;
}

const message = (over: Partial<OutboundMessage> = {}): OutboundMessage => ({
  projectId: newUuid(),
  emailId: newUuid(),
  mailFrom: 'bounces@send.shop.example',
  rcptTo: 'anna@acme.example',
  messageId: '<1@shop.example>',
  data: Buffer.from('Subject: hi\r\n\r\nhi\r\n'),
  smtputf8: false,
  attempt: 1,
  mayCommit: () => true,
  ...over,
});

for (const [status, mx, isHere] of [
  ['verified', 'mx.example', true],
  ['warning', 'mx.example', true],
  ['verified', 'mx.other.example', false],
  ['verified', null, false],
  // Any project can add a foreign domain, whose MX records may point here.
  ['pending', 'mx.example', false],
  ['pending', null, false],
] as const)
  test(`mail to a ${status} claim whose MX is ${mx ?? 'unknown'} is ${isHere ? 'delivered locally' : 'sent by the provider'}`, async () => {
    const { address, domain } = await createMailbox(status, mx);
    const here = inside();
    assert.equal(isLocal(await here.find(address)), isHere);
    assert.equal(await here.find(`bob@${domain}`), null);
    assert.equal(await here.find(`an%na@${domain}`), null);
    assert.equal(await here.find('anna@elsewhere.example'), null);
  });

test('mail is delivered locally until two DNS responses ten minutes apart say that the MX moved; the timeline then names the new MX', async () => {
  const { projectId, domainId, domain, address } = await createMailbox();
  const found = async (minute: number) => {
    await recordMxHost(projectId, domainId, domain, 'mx.other.example', minute);
    return inside().find(address);
  };
  for (const minute of [10, 19]) assert.ok('handOver' in ((await found(minute)) ?? {}));
  assert.deepEqual(await found(20), {
    note: `The MX of ${domain} moved to mx.other.example, so the message is sent there`,
    ownHosts: new Set(['mx.example']),
  });
});

test('an operator can turn local delivery on or off for a verified claim, but not for an unverified claim', async () => {
  const elsewhere = await createMailbox('verified', 'mx.other.example');
  const here = await createMailbox();
  const thief = await createMailbox('pending', null);
  const set = ({ projectId, domain }: TestMailbox, changes: Partial<DomainMail>) =>
    changeDomainMail(db.database, projectId, domain, changes);
  await set(elsewhere, { deliverLocally: true });
  await set(here, { deliverLocally: false });
  await set(thief, { deliverLocally: true });
  assert.ok(isLocal(await inside().find(elsewhere.address)));
  assert.equal(await inside().find(here.address), null);
  assert.equal(await inside().find(thief.address), null);
  await set(elsewhere, { deliverLocally: null });
  assert.deepEqual(await inside().find(elsewhere.address), { note: null, ownHosts: new Set(['mx.example']) });
  await set(elsewhere, { gateways: ['mx.gateway.example'] });
  const ownHosts = new Set(['mx.example', 'mx.gateway.example']);
  assert.deepEqual(await inside().find(elsewhere.address), { note: null, ownHosts });
  await set(elsewhere, { gateways: ['mx.other.example'] });
  assert.ok(isLocal(await inside().find(elsewhere.address)));
  const { rows } = await sql<{ before: object; after: object }>`
    select before, after from audit_log where action = 'domain.set-mail' and project_id = ${here.projectId}`.execute(
    db.database,
  );
  assert.deepEqual(rows, [{ before: { local: 'auto' }, after: { local: 'off' } }]);
});

test("an unverified claim with a catch-all on another project's verified domain gets no mail", async () => {
  const verified = await createMailbox();
  const thief = await createMailbox('pending', null);
  await sql`update mailboxes set is_catch_all = true where id = ${thief.mailboxId}`.execute(db.database);
  await sql`update domains set name = ${verified.domain} where name = ${thief.domain}`.execute(db.database);
  recipients.length = 0;
  await (await localDestinationOf(verified.address)).handOver(message({ projectId: thief.projectId }));
  assert.deepEqual(
    recipients.map(({ mailbox }) => mailbox.mailboxId),
    [verified.mailboxId],
  );
  assert.equal(await inside().find(`someone@${verified.domain}`), null);
});

test('a claim that was verified by hand gets local mail only outside production', async () => {
  const { projectId, domain, address } = await createMailbox('pending', null);
  await verifyManually(db.database, projectId, domain);
  assert.equal(await inside().find(address), null);
  assert.ok(isLocal(await inside({ trustsManualVerification: true }).find(address)));
});

test('the hosted domain is local for all projects, except addresses without a mailbox', async () => {
  const { mailboxId, domain } = await createMailbox('verified', null);
  await sql`update domains set project_id = ${HOSTED_PROJECT_ID}, name = 'hosted.example' where name = ${domain}`.execute(
    db.database,
  );
  await sql`update mailboxes set domain = 'hosted.example' where id = ${mailboxId}`.execute(db.database);
  assert.ok(isLocal(await inside().find('anna@Hosted.example')));
  assert.equal(await inside().find('postmaster@hosted.example'), null);
});

test('a catch-all gets mail for addresses without a mailbox', async () => {
  const { mailboxId, domain } = await createMailbox();
  await sql`update mailboxes set is_catch_all = true where id = ${mailboxId}`.execute(db.database);
  assert.ok(isLocal(await inside().find(`anybody@${domain}`)));
});

test('a catch-all does not get replies to an address that the service sends from', async () => {
  const { mailboxId, domain } = await createMailbox();
  await sql`update mailboxes set is_catch_all = true where id = ${mailboxId}`.execute(db.database);
  const sender = parseMailbox(`Accounts@${domain}`);
  assert.ok(!('error' in sender));
  await reserveSender(db.database, sender);
  assert.equal(await inside().find(`accounts@${domain}`), null);
  assert.equal(await inside().find(`accounts+reset@${domain}`), null);
  assert.ok(isLocal(await inside().find(`anybody@${domain}`)));
});

const traced = (results: string) =>
  Buffer.from(
    `ARC-Seal: i=1; b=x\r\nDelivered-To: a@b.example\r\nReceived: from mail.sender.example (mail.sender.example [192.0.2.7])\r\n\tby mx.example;\r\n\tnow\r\nAuthentication-Results: mx.example;\r\n\t${results}\r\nReceived: from forged ([192.0.2.9])\r\nDKIM-Signature: d=bank.example\r\nFrom: x@bank.example\r\n\r\nhi\r\n`,
  );

for (const [name, data, isForwarded, isOwn, origin] of [
  [
    'came from outside',
    traced('spf=pass smtp.mailfrom=sender.example; dkim=fail'),
    true,
    false,
    { address: '192.0.2.7', helo: 'mail.sender.example', mailFrom: 'postmaster@sender.example' },
  ],
  [
    'was a report from outside',
    traced('spf=pass smtp.helo=mail.sender.example; dkim=none'),
    true,
    false,
    { address: '192.0.2.7', helo: 'mail.sender.example', mailFrom: '' },
  ],
  ['a local project sent', traced('auth=pass smtp.mailfrom=acme.example; dkim=none'), true, true, undefined],
  [
    'has no known origin',
    Buffer.from('Subject: x\r\n\r\n'),
    true,
    false,
    { address: '', helo: '', mailFrom: '' },
  ],
  ['is not forwarded', traced('spf=pass smtp.mailfrom=sender.example'), false, true, undefined],
] as const)
  test(`mail that ${name} is ${isOwn ? 'genuine' : 'examined by its original client'}`, async () => {
    const { address } = await createMailbox();
    delivered.length = 0;
    const destination = await localDestinationOf(address);
    await destination.handOver(message({ data, isForwarded }));
    assert.deepEqual([delivered[0]?.isOwn, delivered[0]?.origin], [isOwn, origin]);
  });

test('mail that a user redirects is examined without a client, because the user may have written its Received fields', async () => {
  const { address } = await createMailbox();
  delivered.length = 0;
  const data = traced('spf=pass smtp.mailfrom=bank.example; dkim=none');
  await (await localDestinationOf(address)).handOver(message({ data, isForwarded: true, isRedirect: true }));
  assert.deepEqual(
    [delivered[0]?.isOwn, delivered[0]?.origin],
    [false, { address: '', helo: '', mailFrom: '' }],
  );
});

test('delivered mail is marked as service mail only if the service itself sent it', async () => {
  const { address } = await createMailbox();
  for (const isService of [true, undefined]) {
    delivered.length = 0;
    await (await localDestinationOf(address)).handOver(message(isService === undefined ? {} : { isService }));
    assert.equal(delivered[0]?.isService, isService === true);
  }
});

test('an alias delivers to all its mailboxes that are not full, even on a domain without mailboxes', async () => {
  const { projectId, mailboxId, domain } = await createMailbox();
  const other = await newMailbox(db.database, { projectId });
  const aliasDomain = `alias-${domain}`;
  const domainId = await newDomain(db.database, projectId, aliasDomain, { status: 'verified' });
  await recordMxHost(projectId, domainId, aliasDomain, 'mx.example', 0);
  const mailboxes = [{ projectId, mailboxId }, other] as const;
  await newAlias(db.database, 'Team', mailboxes, { domainId, domain: aliasDomain });
  const reached = async () => {
    delivered.length = 0;
    recipients.length = 0;
    await (await localDestinationOf(`team+x@${aliasDomain}`)).handOver(message());
    return recipients.map((one) => one.mailbox.mailboxId).sort();
  };
  assert.deepEqual(await reached(), [mailboxId, other.mailboxId].sort());
  assert.deepEqual([delivered.length, recipients[0]?.address], [1, `team+x@${aliasDomain}`]);
  await new Store(db.database).ensureFolders([other]);
  await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${other.mailboxId}`.execute(
    db.database,
  );
  assert.deepEqual(await reached(), [mailboxId]);
});

test('local delivery returns the same reply codes as the SMTP listener', async () => {
  const { projectId, mailboxId, address } = await createMailbox();
  const hand = async () => {
    const { replyCode, enhancedCode } = await (await localDestinationOf(address)).handOver(message());
    return `${replyCode} ${enhancedCode}`;
  };
  for (const [filed, reply] of [
    ['accepted', '250 2.0.0'],
    ['mailboxFull', '452 4.2.2'],
    ['loop', '554 5.4.6'],
    [{ refused: '5.7.1 the message looks like spam' }, '550 5.7.1'],
  ] as const) {
    answer = filed;
    assert.equal(await hand(), reply);
  }
  answer = 'accepted';
  await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
  await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${mailboxId}`.execute(
    db.database,
  );
  assert.equal(await hand(), '452 4.2.2');
  await sql`update mailbox_states set full_since = now() - interval '25 hours' where mailbox_id = ${mailboxId}`.execute(
    db.database,
  );
  assert.equal(await hand(), '552 5.2.2');
});

test('local delivery passes on unchanged bytes, with the email ID as object ID so that a retry stores no second copy', async () => {
  const { projectId, mailboxId, address } = await createMailbox();
  delivered.length = 0;
  const sent = message({ projectId });
  await (await localDestinationOf(address)).handOver(sent);
  assert.deepEqual(
    [delivered[0]?.raw, delivered[0]?.objectId, delivered[0]?.isOwn],
    [sent.data, sent.emailId, true],
  );

  const store = new Store(db.database);
  const objectId = newUuid();
  const stored = { ...newMessage({ projectId, mailboxId }), objectId };
  const other = await newMailbox(db.database, { projectId: await newProject(db.database) });
  const results = [
    ...(await store.append([stored, stored])),
    ...(await store.append([stored, { ...newMessage(other), objectId }])),
  ];
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['stored', 'already-there', 'already-there', 'stored'],
  );
  const [inbox] = (await store.folders({ projectId, mailboxId })).filter(({ role }) => role === 'inbox');
  assert.equal(inbox?.messages, 1);
});

test('mail for a route is delivered here, with the id of the email and the route of its address', async () => {
  await using sealed = await sealedDatabase();
  const { database, sealer } = sealed;
  const route = await newRoute(database, sealer);
  const { domain } = await database
    .selectFrom('routes')
    .select('domain')
    .where('id', '=', route.routeId)
    .executeTakeFirstOrThrow();
  assert.ok(domain !== null);
  await changeDomainMail(database, route.projectId, domain, { deliverLocally: true });
  const filed: unknown[] = [];
  const mailboxes = inside({
    database,
    filer: async () => ({
      file: async ({ objectId, senderProjectId }, deliveries, _, routes) => {
        filed.push({
          objectId,
          senderProjectId,
          deliveries,
          routes: routes?.map(({ routeId, address }) => ({ routeId, address })),
        });
        return 'tooManyForRoute';
      },
    }),
  });
  const address = `support+case@${domain}`;
  const destination = await mailboxes.find(address);
  assert.ok(destination !== null && 'handOver' in destination);
  assert.equal(destination.projectId, route.projectId);
  const sent = message({ rcptTo: address });
  assert.equal((await destination.handOver(sent)).replyCode, 451);
  assert.deepEqual(filed, [
    {
      objectId: sent.emailId,
      senderProjectId: sent.projectId,
      deliveries: [],
      routes: [{ routeId: route.routeId, address }],
    },
  ]);
  assert.equal(await mailboxes.find(`other@${domain}`), null);
});
