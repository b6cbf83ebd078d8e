import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import type { Config } from '../../app/config.ts';
import { recordMx } from '../../domains/mx/record-mx.ts';
import { Store } from '../../store/store.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkMailDomains, checkPostmaster } from './mailboxes.ts';
import { HOSTNAME, worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const world = (config: Partial<Config> = {}) => worldWith(DNS, { config, database: { opened: db.database } });

/** Creates a mailbox with a claim on its domain. @param mx the MX host at the last check of DNS */
async function makeDomain(name: string, status: 'pending' | 'verified', mx: string): Promise<string> {
  const { projectId, mailboxId } = await newMailbox(db.database);
  const { rows } = await sql<{ id: string }>`
    update domains set name = ${name}, status = ${status}, verified_at = case ${status} when 'verified' then now() end
    where id = (select domain_id from mailboxes where id = ${mailboxId}) returning id`.execute(db.database);
  await sql`update mailboxes set domain = ${name} where id = ${mailboxId}`.execute(db.database);
  const answer = { outcome: 'found', records: [{ priority: 10, exchange: mx }] } as const;
  await recordMx(db.database, { projectId, id: rows[0]?.id ?? '', name }, [HOSTNAME], answer, new Date());
  return mailboxId;
}

describe('the domains of mailboxes', () => {
  test('the domains of mailboxes are ok if no mailbox exists, and cannot be checked without the database', async () => {
    assertFinding(await checkMailDomains(world()), 'ok', /No project has a domain/);
    assertFinding(await checkMailDomains(worldWith(DNS)), 'problem', /without the database/, /database/);
  });

  test('the domains of mailboxes are ok if their MX is this installation, and are otherwise named', async () => {
    await makeDomain('good.example', 'verified', HOSTNAME);
    assertFinding(
      await checkMailDomains(world()),
      'ok',
      /Mail for the one domain with mailboxes is received/,
    );
    await makeDomain('away.example', 'verified', 'mx.other.example');
    await makeDomain('unverified.example', 'pending', HOSTNAME);
    assertFinding(
      await checkMailDomains(world()),
      'warning',
      /^Mailboxes that receive no mail: unverified\.example is not verified yet\. .* delivered elsewhere: The MX of away\.example is mx\.other\.example\.$/,
      /domain set --mx/,
    );
    for (let n = 0; n < 7; n++) await makeDomain(`x${n}.example`, 'verified', 'mx.other.example');
    assertFinding(
      await checkMailDomains(world()),
      'warning',
      /The MX of away\.example is .* The MX of x3\.example is mx\.other\.example\. 3 more are not listed\.$/,
      /records/,
    );
  });

  test('the domains of mailboxes are ok if the MX is a gateway of the domain or another host of this installation', async () => {
    await sql`delete from mailboxes`.execute(db.database);
    await makeDomain('second.example', 'verified', 'mx2.example');
    assertFinding(await checkMailDomains(world()), 'warning', /second\.example is mx2\.example/, /--mx/);
    assertFinding(await checkMailDomains(world({ mxNames: ['mx2.example'] })), 'ok', /delivered here/);
    await sql`update domain_mx set gateways = array['mx2.example']`.execute(db.database);
    assertFinding(await checkMailDomains(world()), 'ok', /delivered here/);
  });
});

describe('the postmaster', () => {
  const check = (postmaster: string | null) => checkPostmaster(world({ postmaster }));

  test('the postmaster must be a local mailbox with free space', async () => {
    const mailboxId = await makeDomain('ops.example', 'verified', HOSTNAME);
    assertFinding(
      await check(null),
      'warning',
      /stored under System for 30 days: 0 messages/,
      /POSTHORN_POSTMASTER/,
    );
    assertFinding(await check('anna@ops.example'), 'ok', /is delivered to anna@ops\.example/);
    for (const wrong of ['bert@ops.example', 'anna@elsewhere.example', 'anna'])
      assertFinding(await check(wrong), 'problem', /no local mailbox/, /verified domain/);
    const { projectId } = await db.database
      .selectFrom('mailboxes')
      .select('projectId')
      .where('id', '=', mailboxId)
      .executeTakeFirstOrThrow();
    await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
    await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${mailboxId}`.execute(
      db.database,
    );
    assertFinding(await check('anna@ops.example'), 'problem', /is full/, /Free space/);
  });
});
