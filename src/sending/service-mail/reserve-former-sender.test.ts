import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newDomain } from '../../../test/support/projects.ts';
import { actingAs, type Actor, recordChange } from '../../accounts/audit.ts';
import { invite } from '../../accounts/members/invitations.ts';
import { ensureOrganization } from '../../accounts/organizations/organizations.ts';
import type { Database } from '../../db/database.ts';
import { migrate } from '../../db/migrate.ts';
import { readMigrations, splitStatements } from '../../db/migration-files.ts';
import { checkSecret } from '../../db/seal.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { isServiceSender } from '../../mailboxes/reserved-addresses.ts';
import { prepareServiceMail } from './prepare-service-mail.ts';
import { ServiceMail } from './service-mail.ts';

const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database: shared } = db;

const HOSTED = 'hosted.example';
const USER: Actor = { kind: 'user', id: null, name: 'Ann', address: null };
const COMMAND_LINE: Actor = { kind: 'command-line', id: null, name: 'root', address: null };
const INVITER = { role: 'owner', isOperator: true, name: 'Ann' } as const;

const organizationOf = (database: Database) => database.transaction().execute((tx) => ensureOrganization(tx));

async function inviteBob(database: Database, actor: Actor): Promise<void> {
  const organizationId = await organizationOf(database);
  const invited = { email: 'bob@company.example', role: 'viewer', seesBodies: false } as const;
  await actingAs(actor, () => invite(database, organizationId, INVITER, invited, null));
}

/** @param from POSTHORN_MAIL_FROM */
async function start(database: Database, from: string | null, hostedDomain = HOSTED): Promise<void> {
  const sealer = await checkSecret(database, 'a secret for these tests');
  await ensureHostedDomain(database, sealer, hostedDomain);
  const logger = { warn: () => {} };
  await prepareServiceMail({ database, sealer, from, hostedDomain, trustsManualVerification: false, logger });
}

const isReserved = (database: Database, domain = HOSTED) => isServiceSender(database, domain, 'noreply');

test('a new installation leaves noreply@ to projects, whatever mail the service sends', async () => {
  await start(shared, null);
  await inviteBob(shared, USER);
  const sealer = await checkSecret(shared, 'a secret for these tests');
  const mail = new ServiceMail({ from: null, hostedDomain: HOSTED, sealer, trustsManualVerification: false });
  await mail.send(shared, { to: 'bob@company.example', subject: 'Hello', text: 'Hello' });
  await migrate(db.url);
  await start(shared, null);
  assert.equal(await isReserved(shared), false);
  assert.equal(await isServiceSender(shared, HOSTED, 'posthorn'), true);
});

suite('an upgrade from a version that wrote from noreply@ the hosted domain', () => {
  const migrations = readMigrations().filter(({ name }) => name < '0096');

  test('reserves the address when a user has invited someone, also long after the mail was deleted', async () => {
    await using older = await emptyDatabase();
    const { database } = older;
    await migrate(older.url, { migrations });
    await newDomain(database, HOSTED_PROJECT_ID, HOSTED, { status: 'verified' });
    await inviteBob(database, USER);
    await migrate(older.url);
    await start(database, 'service@own.example');
    assert.equal(await isReserved(database), false);
    await start(database, null);
    assert.equal(await isReserved(database), true);
    // Another hosted domain never had that sender.
    await start(database, null, 'other.example');
    assert.deepEqual(
      [await isReserved(database), await isReserved(database, 'other.example')],
      [true, false],
    );
  });
});

suite('what the audit log shows of the time before the change', () => {
  const migration = readMigrations().find(({ name }) => name.endsWith('-former-sender.sql'));
  const insert = splitStatements(migration?.statements.join() ?? '').find((one) =>
    one.includes('insert into'),
  );

  async function isReservedAfter(
    actor: Actor,
    action: `${string}.${string}`,
    days: number,
  ): Promise<boolean> {
    await sql`delete from audit_log`.execute(shared);
    await sql`delete from service_senders`.execute(shared);
    const organizationId = await organizationOf(shared);
    await actingAs(actor, () => recordChange(shared, { of: { organizationId }, action, target: 'x' }));
    await sql`update audit_log set created_at = now() - ${days} * interval '1 day'`.execute(shared);
    await sql`update domains set created_at = now() - interval '400 days'`.execute(shared);
    await sql.raw(insert ?? '').execute(shared);
    await start(shared, null);
    return isReserved(shared);
  }

  for (const [what, actor, action, expected] of [
    ['an invitation by a user', USER, 'invitation.create', true],
    ['an invitation whose link was printed', COMMAND_LINE, 'invitation.create', false],
    ['a password reset by a link', { ...USER, kind: 'system' }, 'user.reset-password', true],
    ['a second factor that an owner switched off', USER, 'user.reset-second-factor', true],
    ['a second factor switched off on the command line', COMMAND_LINE, 'user.reset-second-factor', false],
    ['any other change', USER, 'member.change', false],
  ] as const)
    test(`${what} ${expected ? 'reserves' : 'does not reserve'} noreply@`, async () => {
      assert.equal(await isReservedAfter(actor, action, 300), expected);
    });

  test('an invitation after the change does not reserve noreply@', async () => {
    assert.equal(await isReservedAfter(USER, 'invitation.create', -1), false);
  });
});
