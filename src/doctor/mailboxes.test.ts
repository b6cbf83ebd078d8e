import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import type { Config } from '../app/config.ts';
import { Store } from '../store/store.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkMailDomains, checkPostmaster } from './mailboxes.ts';
import { worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const world = (config: Partial<Config> = {}) => worldWith(DNS, { config, database: { opened: db.database } });

/** The claim of a new mailbox. @param mx what DNS said of its MX records when it was last asked */
async function makeDomain(name: string, status: 'pending' | 'verified', mx: string): Promise<string> {
  const { mailboxId } = await newMailbox(db.database);
  const checks = JSON.stringify({ [`MX ${name}`]: { status: mx } });
  await sql`
    update domains set name = ${name}, status = ${status}, checks = ${checks}, verified_at = case ${status} when 'verified' then now() end
    where id = (select domain_id from mailboxes where id = ${mailboxId})`.execute(db.database);
  await sql`update mailboxes set domain = ${name} where id = ${mailboxId}`.execute(db.database);
  return mailboxId;
}

describe('the domains of mailboxes', () => {
  test('may be none, and are not looked at without the database', async () => {
    assertFinding(await checkMailDomains(world()), 'ok', /No domain/);
    assertFinding(await checkMailDomains(worldWith(DNS)), 'problem', /without the database/, /database/);
  });

  test('are good where DNS sends their mail here, and named where it does not', async () => {
    await makeDomain('good.example', 'verified', 'verified');
    assertFinding(await checkMailDomains(world()), 'ok', /the one domain with mailboxes comes here/);
    await makeDomain('away.example', 'verified', 'failed');
    await makeDomain('nobody.example', 'pending', 'verified');
    assertFinding(
      await checkMailDomains(world()),
      'warning',
      /^Mailboxes of nobody\.example get no mail: the claim is not verified\. DNS does not send the mail of away\.example to mx\.example\.$/,
      /records/,
    );
    for (let n = 0; n < 7; n++) await makeDomain(`x${n}.example`, 'verified', 'failed');
    assertFinding(
      await checkMailDomains(world({ environment: 'development' })),
      'warning',
      /away\.example, x0\.example, x1\.example, x2\.example, x3\.example and 3 others/,
      /records/,
    );
  });
});

describe('the postmaster', () => {
  const check = (postmaster: string | null) => checkPostmaster(world({ postmaster }));

  test('has to be a mailbox here that has room', async () => {
    const mailboxId = await makeDomain('ops.example', 'verified', 'verified');
    assertFinding(
      await check(null),
      'warning',
      /kept under System for 30 days: 0 messages/,
      /POSTHORN_POSTMASTER/,
    );
    assertFinding(await check('anna@ops.example'), 'ok', /goes to anna@ops\.example/);
    for (const wrong of ['bert@ops.example', 'anna@elsewhere.example', 'anna'])
      assertFinding(await check(wrong), 'problem', /no mailbox here/, /verified domain/);
    const { projectId } = await db.database
      .selectFrom('mailboxes')
      .select('projectId')
      .where('id', '=', mailboxId)
      .executeTakeFirstOrThrow();
    await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
    await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${mailboxId}`.execute(
      db.database,
    );
    assertFinding(await check('anna@ops.example'), 'problem', /is full/, /Make room/);
  });
});
