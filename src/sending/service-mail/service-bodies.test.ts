/** Stored service mail with links: it is encrypted, deleted with its link, and in no backup. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { tokensIn } from '../../../test/support/caught-mail.ts';
import { startDelivery } from '../../../test/support/deliveries.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { emptyDatabase, SECRET, sealedDatabase } from '../../../test/support/postgres.ts';
import { emptyQueue, hasWork } from '../../../test/support/queue-rows.ts';
import { deletingExpiredAccountRows } from '../../accounts/background-jobs.ts';
import { invite, withdrawInvitation } from '../../accounts/members/invitations.ts';
import { createOrganization } from '../../accounts/organizations/organizations.ts';
import { findLink } from '../../accounts/sign-in-links.ts';
import { resetPassword } from '../../accounts/use-links.ts';
import { createUser } from '../../accounts/users.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { openBackup } from '../../installation/backup/open-backup.ts';
import { restore } from '../../installation/backup/restore.ts';
import { writeBackup } from '../../installation/backup/write-backup.ts';
import type { Database } from '../../db/database.ts';
import { checkSecret, type Sealer } from '../../db/seal.ts';
import { ensureHostedDomain } from '../../domains/hosted.ts';
import { newUuid } from '../../model/ids.ts';
import type { OutboundMessage, Provider } from '../deliver/provider.ts';
import { createSandbox } from '../deliver/sandbox.ts';
import { AccountMail } from './account-mail.ts';
import { ServiceBodies } from './service-bodies.ts';
import { ServiceMail } from './service-mail.ts';

const HOSTED = 'posthorn.localhost';
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bodies-'));
let db: Awaited<ReturnType<typeof sealedDatabase>>;
let organizationId: string;
before(async () => {
  db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, HOSTED);
  organizationId = await db.database.transaction().execute((tx) => createOrganization(tx, 'ours'));
});
beforeEach(() => emptyQueue(db.database));
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const accountMail = () =>
  new AccountMail({
    database: db.database,
    mail: new ServiceMail({
      from: null,
      hostedDomain: HOSTED,
      sealer: db.sealer,
      trustsManualVerification: false,
    }),
    baseUrl: () => 'https://mail.test',
    onQueued() {},
    logger: pino({ level: 'error' }),
  });

interface Mailed {
  submissionId: string;
  linkId: string;
  token: string;
}

let clients = 0;
async function mailReset(email: string): Promise<Mailed> {
  clients += 1;
  {
    await using mail = accountMail();
    assert.equal(await mail.requestReset({ email, address: `10.0.${clients}.1` }), 0);
  }
  return mailedTo(email);
}

const newUser = (email: string) =>
  db.database
    .transaction()
    .execute((tx) => createUser(tx, { email, name: 'Ada', passwordHash: null, isOperator: false }));

async function newReset(): Promise<Mailed & { email: string }> {
  const email = `ada@${newUuid().slice(-12)}.test`;
  await newUser(email);
  return { email, ...(await mailReset(email)) };
}

async function newInvitation(domain = `${newUuid().slice(-12)}.test`): Promise<Mailed & { copied: string }> {
  const inviter = { role: 'owner', name: 'Bob', isOperator: false } as const;
  const email = `grace@${domain}`;
  const invited = { email, role: 'developer', seesBodies: false } as const;
  const { linkId, token } = await invite(db.database, organizationId, inviter, invited, null, async () => {});
  {
    await using mail = accountMail();
    mail.sendInvitation(linkId);
  }
  return { ...(await mailedTo(email)), copied: token };
}

/** The latest mail with a link to an address. */
async function mailedTo(address: string): Promise<Mailed> {
  const { rows } = await sql<{ submissionId: string; linkId: string }>`
    select l.submission_id, l.id as link_id from sign_in_links l join submission_recipients r using (submission_id)
    where r.address = ${address}`.execute(db.database);
  const [row] = rows;
  assert.ok(row);
  const body = await bodyOf(row.submissionId);
  const [token = ''] = tokensIn(body?.toString().replaceAll('=\r\n', '') ?? '');
  assert.equal(token.length, 43);
  return { ...row, token };
}

const bodyOf = (submissionId: string) => new ServiceBodies(db.database, db.sealer).open(submissionId);

async function isStored({ submissionId }: Mailed): Promise<boolean> {
  const row = db.database
    .selectFrom('serviceBodies')
    .select('linkId')
    .where('submissionId', '=', submissionId);
  return (await row.executeTakeFirst()) !== undefined;
}

/** Every row of every table as text, and the uncompressed bytes of blobs. */
async function everything(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    database,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
      database,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  const blobs = await database.selectFrom('blobs').select('bytes').execute();
  texts.push(...blobs.map(({ bytes }) => (bytes === null ? '' : zstdDecompressSync(bytes).toString())));
  return texts.join('\n');
}

/**
 * Whether the text contains the token. Searches for parts of the token too, because a quoted-printable line may end within it. Binary
 * columns are hexadecimal.
 */
function showsToken(text: string, { token }: Mailed): boolean {
  const parts = [token.slice(0, 12), token.slice(-12)];
  return parts.some((part) => text.includes(part) || text.includes(Buffer.from(part).toString('hex')));
}

function recordingProvider(): Provider & { sent: OutboundMessage[] } {
  const sent: OutboundMessage[] = [];
  const reply = { replyCode: 250, enhancedCode: null, text: 'ok', remoteMta: 'mx.test', tls: true };
  return {
    sent,
    capacity: 10,
    isFinal: true,
    destinations: null,
    async send(message) {
      message.mayCommit();
      sent.push(message);
      return { outcome: 'accepted', reply: { ...reply, dialogue: null }, providerMessageId: null };
    },
    async close() {},
  };
}

async function deliver(provider: Provider, at: { database: Database; sealer: Sealer } = db): Promise<void> {
  await using _ = await startDelivery(at, provider);
  assert.ok(await eventually(async () => !(await hasWork(at.database)), 10_000));
}

async function outcomeOf({ submissionId }: Mailed, { database }: { database: Database } = db) {
  const { rows } = await sql<{ outcome: string; reason: string | null }>`
    select outcome, detail ->> 'reason' as reason from submission_recipients where submission_id = ${submissionId}`.execute(
    database,
  );
  return rows[0];
}

test('no table contains the link of a mail in plain text, not even the stored messages of the sandbox', async () => {
  const mails = [await newReset(), await newInvitation()];
  await deliver(createSandbox(db.database));
  const all = await everything(db.database);
  for (const mail of mails) {
    assert.equal((await outcomeOf(mail))?.outcome, 'delivered');
    assert.equal(showsToken(all, mail), false);
    assert.notEqual(await findLink(db.database, mail.token), null);
  }
});

test('an encrypted mail is sent complete, signed and with its link', async () => {
  const mail = await newReset();
  const provider = recordingProvider();
  await deliver(provider);
  const text = provider.sent[0]?.data.toString() ?? '';
  assert.match(text, /^DKIM-Signature: /);
  assert.match(text, /^Message-ID: <svc\.[0-9a-f]{32}\.[0-9a-f]{32}@posthorn\.localhost>\r$/m);
  assert.deepEqual(tokensIn(text.replaceAll('=\r\n', '')), [mail.token]);
  assert.match(text, /Your password stays the same\.\r\n$/);
});

test('service mail without a link is stored like other mail', async () => {
  const mail = new ServiceMail({
    from: null,
    hostedDomain: HOSTED,
    sealer: db.sealer,
    trustsManualVerification: false,
  });
  const submissionId = await mail.send(db.database, { to: 'a@b.test', subject: 'Hi', text: 'no link' });
  assert.equal(await bodyOf(submissionId), null);
  const provider = recordingProvider();
  await deliver(provider);
  assert.match(provider.sent[0]?.data.toString() ?? '', /no link/);
});

const ends: [how: string, of: () => Promise<Mailed>, end: (mail: Mailed) => Promise<unknown>][] = [
  ['is used', newReset, ({ token }) => resetPassword(db.database, token, 'correct horse battery')],
  [
    'is replaced',
    newReset,
    async ({ linkId }) => {
      const { email } = await db.database
        .selectFrom('signInLinks as l')
        .innerJoin('users as u', 'u.id', 'l.userId')
        .select('u.email')
        .where('l.id', '=', linkId)
        .executeTakeFirstOrThrow();
      await mailReset(email);
    },
  ],
  ['is withdrawn', newInvitation, ({ linkId }) => withdrawInvitation(db.database, organizationId, linkId)],
  [
    'stops working because a mailbox on its domain is created',
    async () => {
      const { mailboxId } = await newMailbox(db.database);
      const { domain, domainId } = await db.database
        .selectFrom('mailboxes')
        .select(['domain', 'domainId'])
        .where('id', '=', mailboxId)
        .executeTakeFirstOrThrow();
      const status = { status: 'verified', verifiedAt: new Date() } as const;
      await db.database.updateTable('domains').set(status).where('id', '=', domainId).execute();
      return newInvitation(domain);
    },
    ({ linkId }) =>
      sql`
        update mailboxes m set is_catch_all = true from domains d, sign_in_links l
        where d.id = m.domain_id and l.id = ${linkId} and l.email like '%@' || d.name`.execute(db.database),
  ],
  [
    'has expired',
    newReset,
    async ({ linkId, submissionId }) => {
      const expired = { expiresAt: new Date(Date.now() - 1_000) };
      await db.database.updateTable('signInLinks').set(expired).where('id', '=', linkId).execute();
      assert.equal(await bodyOf(submissionId), null);
      for await (const _ of deletingExpiredAccountRows(db.database, null)) continue;
    },
  ],
  [
    'is deleted with its user',
    newReset,
    ({ linkId }) =>
      sql`delete from users u using sign_in_links l where l.id = ${linkId} and u.id = l.user_id`.execute(
        db.database,
      ),
  ],
];
for (const [how, of, end] of ends)
  test(`a queued mail whose link ${how} is deleted and not sent`, async () => {
    const mail = await of();
    assert.equal(await isStored(mail), true);
    await end(mail);
    assert.equal(await isStored(mail), false);
    const provider = recordingProvider();
    await deliver(provider);
    assert.deepEqual(
      provider.sent.filter(({ emailId }) => emailId === mail.submissionId),
      [],
    );
    assert.deepEqual(await outcomeOf(mail), { outcome: 'failed', reason: 'link_ended' });
  });

test('the copied link of an invitation works after its mail is deleted', async () => {
  const mail = await newInvitation();
  await db.database
    .updateTable('signInLinks')
    .set({ mailedTokenSha256: null })
    .where('id', '=', mail.linkId)
    .execute();
  assert.equal(await isStored(mail), false);
  assert.notEqual(await findLink(db.database, mail.copied), null);
});

test('an encrypted body can be opened only for its own submission', async () => {
  const [one, other] = [await newReset(), await newReset()];
  await sql`
    update service_bodies b set sealed = o.sealed from service_bodies o
    where b.submission_id = ${one.submissionId} and o.submission_id = ${other.submissionId}`.execute(
    db.database,
  );
  await assert.rejects(bodyOf(one.submissionId), /was sealed for another context/);
});

test('a backup contains no mail with links, and after a restore such mail fails with the reason link_ended', async () => {
  const mail = await newReset();
  const file = join(folder, 'all.tar.zst');
  const objects = new ObjectFiles(join(folder, 'blobs'));
  await writeBackup(db.url, null, objects, file);
  await using restored = await emptyDatabase();
  const backup = await openBackup(file);
  await restore({ url: restored.url, backup, objects, settings: () => [], beforeCommit: () => {} });
  const { database } = restored;
  const at = { database, sealer: await checkSecret(database, SECRET) };
  assert.equal(showsToken(await everything(database), mail), false);
  const { rows } = await sql`select from service_bodies`.execute(database);
  assert.equal(rows.length, 0);
  const provider = recordingProvider();
  await deliver(provider, at);
  assert.deepEqual(
    provider.sent.filter(({ emailId }) => emailId === mail.submissionId),
    [],
  );
  assert.deepEqual(await outcomeOf(mail, at), { outcome: 'failed', reason: 'link_ended' });
});
