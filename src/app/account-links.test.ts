/**
 * Attack: the owner of a local mailbox reads the account link of another user. The test tries every way to receive mail for the address,
 * whether the mailbox existed before the link or was created later. Each case has its own domain, users and mailbox; the mail of all cases
 * is delivered at once.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { catchMail, type CaughtMail, tokensIn } from '../../test/support/caught-mail.ts';
import { newAlias } from '../../test/support/mail.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newDomain } from '../../test/support/projects.ts';
import { emptyQueue } from '../../test/support/queue-rows.ts';
import { invite } from '../accounts/members/invitations.ts';
import { addMember } from '../accounts/members/memberships.ts';
import { createOrganization, lockOrganization } from '../accounts/organizations/organizations.ts';
import { createProject } from '../accounts/projects/projects.ts';
import { findLink } from '../accounts/sign-in-links.ts';
import { resetPassword } from '../accounts/use-links.ts';
import { createUser } from '../accounts/users.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import { findLocal } from '../mailboxes/local-addresses.ts';
import { createAppPassword } from '../mailboxes/sign-in/app-passwords.ts';
import { newUuid } from '../model/ids.ts';
import { setForwarding } from '../receiving/forward/forwarding.ts';
import { assertNotShared } from '../mailboxes/sharing/sign-in-addresses.ts';
import { judgeAccountLink } from '../sending/service-mail/account-link-guard.ts';
import { AccountMail } from '../sending/service-mail/account-mail.ts';
import { ServiceMail } from '../sending/service-mail/service-mail.ts';

const HOSTED_DOMAIN = 'posthorn.localhost';
const WAYS = ['mailbox', 'alias', 'catch-all', '+label', 'forwarding', 'app password', 'export'] as const;
const PURPOSES = ['reset', 'invitation'] as const;
const TIMES = ['before', 'after', 'in transit'] as const;
const MX = ['here', 'elsewhere', 'local off', 'smart host'] as const;
const VICTIMS = ['same organization', 'other organization', 'operator'] as const;

interface Case {
  way: (typeof WAYS)[number];
  purpose: (typeof PURPOSES)[number];
  /** When the mailbox is created: before the link is requested, while the link is queued, or after a smart host has accepted the link. */
  time: (typeof TIMES)[number];
  mx: (typeof MX)[number];
  victim: (typeof VICTIMS)[number];
  domain: string;
  email: string;
  /** Creates the attacker's mailbox, in the way that this case tests. */
  createMailbox(): Promise<void>;
  /** Requests the password reset, or sends the invitation. */
  sendLink(): Promise<void>;
}

let db: Awaited<ReturnType<typeof sealedDatabase>>;
let ours: { organizationId: string; projectId: string };
let theirs: { organizationId: string; projectId: string };
before(async () => {
  db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN);
  [ours, theirs] = [await newOrganization('ours'), await newOrganization('theirs')];
});
after(() => db[Symbol.asyncDispose]());

function newOrganization(name: string) {
  return db.database.transaction().execute(async (tx) => {
    const organizationId = await createOrganization(tx, name);
    return { organizationId, projectId: await createProject(tx, organizationId, name, 'paid') };
  });
}

function newUser(email: string, organizationId: string, isOperator = false): Promise<string> {
  return db.database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const id = await createUser(tx, { email, name: 'Ada', passwordHash: null, isOperator });
    await addMember(tx, organizationId, id, { role: 'owner', seesBodies: false });
    return id;
  });
}

/** Creates the attacker's mailbox. */
async function newMailboxAt(domainId: string, domain: string, localPart: string, isCatchAll = false) {
  const mailbox = { projectId: ours.projectId, mailboxId: newUuid() };
  await db.database
    .insertInto('mailboxes')
    .values({
      projectId: mailbox.projectId,
      id: mailbox.mailboxId,
      domainId,
      domain,
      localPart,
      isCatchAll,
      localPartKey: localPart,
      displayName: null,
      passwordHash: null,
      quotaMb: 1,
      dailySendLimit: null,
      spamLevel: null,
      replyTo: null,
      signatureHtml: null,
      createdAt: new Date(),
    })
    .execute();
  return mailbox;
}

async function newDomainOf(mx: Case['mx'], domain: string): Promise<string> {
  const projectId = ours.projectId;
  const now = new Date();
  const domainId = await newDomain(db.database, projectId, domain, { status: 'verified', verifiedAt: now });
  const exchange = mx === 'elsewhere' ? 'mx.elsewhere.test' : 'mx.test';
  await db.database
    .insertInto('domainMx')
    .values({
      projectId,
      domainId,
      hosts: JSON.stringify([{ priority: 10, exchange }]),
      askedAt: now,
      answeredAt: now,
      hereAt: mx === 'elsewhere' ? null : now,
      deliverLocally: mx === 'local off' ? false : null,
    })
    .execute();
  return domainId;
}

async function openWay(way: Case['way'], domainId: string, domain: string): Promise<void> {
  if (way === 'catch-all') await newMailboxAt(domainId, domain, 'else', true);
  else if (way === 'alias')
    await newAlias(db.database, 'ada', [await newMailboxAt(domainId, domain, 'else')], { domainId, domain });
  else {
    const mailbox = await newMailboxAt(domainId, domain, 'ada');
    if (way === 'app password')
      await createAppPassword(db.database, mailbox, { name: 'phone', access: 'everything' });
    if (way === 'forwarding') await setForwarding(db.database, mailbox, 'eve@evil.test', true);
  }
}

const accountMail = () =>
  new AccountMail({
    database: db.database,
    mail: new ServiceMail({
      from: null,
      hostedDomain: HOSTED_DOMAIN,
      sealer: db.sealer,
      trustsManualVerification: false,
    }),
    baseUrl: () => 'https://mail.test',
    onQueued() {},
    logger: pino({ level: 'error' }),
  });

let clients = 0;
async function askReset(email: string): Promise<void> {
  clients += 1;
  const address = `10.${clients >> 8}.${clients & 255}.1`;
  await using mail = accountMail();
  assert.equal(await mail.requestReset({ email, address }), 0);
}

async function askInvitation(email: string, organizationId: string): Promise<string> {
  const inviter = { role: 'owner', name: 'Bob', isOperator: false } as const;
  const readers = (await findLocal(db.database, email))?.organizationIds ?? null;
  const invited = { email, role: 'developer', seesBodies: false } as const;
  const { linkId, token } = await invite(
    db.database,
    organizationId,
    inviter,
    invited,
    readers,
    assertNotShared,
  );
  await using mail = accountMail();
  // If a local mailbox exists, `service-mail/run.ts` sends no mail. Send it anyway, as if the mailbox had been created just after the check
  // for it.
  mail.sendInvitation(linkId);
  return token;
}

async function newCase(fields: Pick<Case, 'way' | 'purpose' | 'time' | 'mx' | 'victim'>): Promise<Case> {
  const domain = `${newUuid().slice(-12)}.test`;
  const email = `ada${fields.way === '+label' ? '+work' : ''}@${domain}`;
  const domainId = await newDomainOf(fields.mx, domain);
  const { organizationId } = fields.victim === 'other organization' ? theirs : ours;
  if (fields.purpose === 'reset') await newUser(email, organizationId, fields.victim === 'operator');
  return {
    ...fields,
    domain,
    email,
    createMailbox: () => openWay(fields.way, domainId, domain),
    sendLink: async () => {
      if (fields.purpose === 'reset') await askReset(email);
      else await askInvitation(email, organizationId);
    },
  };
}

test('an account link cannot be read in a local mailbox, no matter how or when the mailbox was set up', async () => {
  await emptyQueue(db.database);
  const cases: Case[] = [];
  for (const way of WAYS)
    for (const purpose of PURPOSES)
      for (const time of TIMES)
        for (const mx of MX)
          for (const victim of VICTIMS) cases.push(await newCase({ way, purpose, time, mx, victim }));
  for (const each of cases) if (each.time === 'before') await each.createMailbox();
  for (const each of cases) if (each.time !== 'after') await each.sendLink();
  // Links that are requested from here on stay queued, so the mailbox is created before they are delivered.
  const caught: CaughtMail[] = await catchMail(db, HOSTED_DOMAIN);
  for (const each of cases) if (each.time === 'after') await each.sendLink();
  for (const each of cases) if (each.time !== 'before') await each.createMailbox();
  caught.push(...(await catchMail(db, HOSTED_DOMAIN)));
  for (const { way, purpose, time, mx, victim, email } of cases) {
    const name = `${way}, ${purpose}, ${time}, ${mx}, ${victim}`;
    const mails = caught.filter(({ to }) => to === email);
    // Mail that was sent to the smart host returns to the local mailbox once the MX record points to this installation.
    const tokens = mails.flatMap(({ text }) => tokensIn(text));
    assert.equal(tokens.length > 0, time === 'in transit', name);
    for (const token of tokens) assert.equal(await findLink(db.database, token), null, name);
    if (purpose === 'reset' && time === 'before')
      assert.match(mails.map(({ text }) => text).join(''), /Ask another owner/, name);
  }
});

test('a queued account link is withdrawn when a local mailbox with its address is created', async () => {
  await emptyQueue(db.database);
  for (const purpose of PURPOSES) {
    const each = await newCase({
      way: 'mailbox',
      purpose,
      time: 'after',
      mx: 'elsewhere',
      victim: 'operator',
    });
    await each.sendLink();
    const [link] = await db.database
      .selectFrom('signInLinks')
      .select('submissionId')
      .where('submissionId', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    const submissionId = link?.submissionId ?? '';
    assert.equal(await judgeAccountLink(db.database, submissionId, each.email), 'outside');
    await each.createMailbox();
    assert.equal(await judgeAccountLink(db.database, submissionId, each.email), 'withdrawn');
  }
});

test('a mailed account link is valid if no local mailbox has its address, even if its domain has local mailboxes', async () => {
  await emptyQueue(db.database);
  const domain = `${newUuid().slice(-12)}.test`;
  const domainId = await newDomainOf('here', domain);
  await newMailboxAt(domainId, domain, 'bob');
  const email = `ada@${domain}`;
  await newUser(email, ours.organizationId);
  await askReset(email);
  const copied = await askInvitation(`grace@${domain}`, ours.organizationId);
  const caught = await catchMail(db, HOSTED_DOMAIN);
  const tokens = caught.map(({ to, text }) => [to, ...tokensIn(text)] as const);
  assert.deepEqual(
    tokens.map(([to, ...found]) => [to, found.length]).sort(),
    [
      [email, 1],
      [`grace@${domain}`, 1],
    ].sort(),
  );
  for (const [, token = ''] of tokens) {
    assert.notEqual(token, copied);
    assert.equal((await findLink(db.database, token))?.isMailed, true);
  }
  assert.equal((await findLink(db.database, copied))?.isMailed, false);
});

test('an unverified account with a second factor gets no link in a local mailbox', async () => {
  await emptyQueue(db.database);
  const domain = `${newUuid().slice(-12)}.test`;
  await newMailboxAt(await newDomainOf('here', domain), domain, 'ada');
  const email = `ada@${domain}`;
  const userId = await newUser(email, ours.organizationId);
  // Attack: the owner of the mailbox created the account with an invitation link that was passed on, and set up a second factor.
  await db.database.updateTable('users').set({ verifiesBy: 'mail' }).where('id', '=', userId).execute();
  // The user must not be an owner, because owners count as verified.
  await db.database.updateTable('memberships').set({ role: 'admin' }).where('userId', '=', userId).execute();
  await db.database
    .insertInto('userTotp')
    .values({ userId, secret: 'sealed', lastStep: 1, createdAt: new Date() })
    .execute();
  await askReset(email);
  const [mail] = await catchMail(db, HOSTED_DOMAIN);
  assert.match(mail?.text ?? '', /Ask another owner/);
  assert.deepEqual(tokensIn(mail?.text ?? ''), []);
});

test('a link in the local mailbox of a user with a second factor resets the password only together with the factor', async () => {
  await emptyQueue(db.database);
  const domain = `${newUuid().slice(-12)}.test`;
  await newMailboxAt(await newDomainOf('here', domain), domain, 'ada');
  const email = `ada@${domain}`;
  const userId = await newUser(email, ours.organizationId);
  const addApp = () =>
    db.database
      .insertInto('userTotp')
      .values({ userId, secret: 'sealed', lastStep: 1, createdAt: new Date() })
      .execute();
  const removeApp = () => db.database.deleteFrom('userTotp').where('userId', '=', userId).execute();
  await addApp();
  await askReset(email);
  const [mail] = await catchMail(db, HOSTED_DOMAIN);
  const [token = ''] = tokensIn(mail?.text ?? '');
  assert.deepEqual([mail?.isLocal, token.length], [true, 43]);
  // Attack: the owner of the mailbox keeps the link until the second factor is removed.
  await removeApp();
  await assert.rejects(resetPassword(db.database, token, 'correct horse battery'), /has already been used/);
  await addApp();
  const proved = await resetPassword(db.database, token, 'correct horse battery');
  assert.equal(proved.passwordHash, null);
  const { passwordHash } = await db.database
    .selectFrom('users')
    .select('passwordHash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  assert.equal(passwordHash, null);
  await assert.rejects(resetPassword(db.database, token, 'correct horse battery'), /has already been used/);
  // A link that is still queued when the second factor is removed is withdrawn.
  await askReset(email);
  await removeApp();
  assert.deepEqual(await catchMail(db, HOSTED_DOMAIN), []);
});
