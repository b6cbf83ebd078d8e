import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { actingAs, type Actor } from '../../accounts/audit.ts';
import { invite } from '../../accounts/members/invitations.ts';
import { ensureOrganization } from '../../accounts/organizations/organizations.ts';
import type { Database } from '../../db/database.ts';
import { migrate } from '../../db/migrate.ts';
import { checkSecret } from '../../db/seal.ts';
import { ensureHostedDomain } from '../../domains/hosted.ts';
import { isServiceSender } from '../../mailboxes/reserved-addresses.ts';
import { prepareServiceMail } from './prepare-service-mail.ts';
import { ServiceMail } from './service-mail.ts';

const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database: shared } = db;

const HOSTED = 'hosted.example';
const USER: Actor = { kind: 'user', id: null, name: 'Ann', address: null };
const INVITER = { role: 'owner', isOperator: true, name: 'Ann' } as const;

const organizationOf = (database: Database) => database.transaction().execute((tx) => ensureOrganization(tx));

async function inviteBob(database: Database, actor: Actor): Promise<void> {
  const organizationId = await organizationOf(database);
  const invited = { email: 'bob@company.example', role: 'viewer', seesBodies: false } as const;
  await actingAs(actor, () => invite(database, organizationId, INVITER, invited, null, async () => {}));
}

/** Starts the service mail of an installation. @param from the value of POSTHORN_MAIL_FROM */
async function start(database: Database, from: string | null, hostedDomain = HOSTED): Promise<void> {
  const sealer = await checkSecret(database, 'a secret for these tests');
  await ensureHostedDomain(database, sealer, hostedDomain);
  const logger = { warn: () => {} };
  await prepareServiceMail({ database, sealer, from, hostedDomain, trustsManualVerification: false, logger });
}

const isReserved = (database: Database, domain = HOSTED) => isServiceSender(database, domain, 'noreply');

test('a new installation does not reserve noreply@, even after it has sent service mail', async () => {
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

test('noreply@ of a former hosted domain is reserved at the first start without POSTHORN_MAIL_FROM', async () => {
  await using older = await testDatabase();
  const { database } = older;
  await database.insertInto('settings').values({ name: 'former_sender_domains', value: HOSTED }).execute();
  await start(database, 'service@own.example');
  assert.equal(await isReserved(database), false);
  await start(database, null);
  assert.equal(await isReserved(database), true);
  // Under a different hosted domain, the installation never sent mail from noreply@.
  await start(database, null, 'other.example');
  assert.deepEqual([await isReserved(database), await isReserved(database, 'other.example')], [true, false]);
});
