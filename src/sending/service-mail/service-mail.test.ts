import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { checkSecret } from '../../db/seal.ts';
import { createKey } from '../../domains/dkim-key.ts';
import { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import * as clock from '../../model/clock.ts';
import { addServiceDomain } from '../../domains/own-service-domains.ts';
import { isInServiceUse } from '../../domains/service-domain.ts';
import { isServiceSender } from '../../mailboxes/reserved-addresses.ts';
import { createUser } from '../../accounts/users.ts';
import { AccountMail } from './account-mail.ts';
import { prepareServiceMail } from './prepare-service-mail.ts';
import { ServiceMail } from './service-mail.ts';
import { SERVICE_TOKEN_KEY, ServiceTokens } from './service-tokens.ts';

const HOSTED = 'hosted.example';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;
const sealer = await checkSecret(database, 'a secret for these tests');
before(() => ensureHostedDomain(database, sealer, HOSTED));

const MESSAGE = { to: 'ceo@company.example', subject: 'Hello', text: 'Hello' };

async function verifiedDomain(name: string): Promise<{ projectId: string; id: string; name: string }> {
  const projectId = await newProject(database);
  const id = await newDomain(database, projectId, name, { status: 'verified' });
  const key = await createKey(sealer, { projectId, domainId: id, selector: 'ph1' }, 'ed25519-sha256');
  await database.insertInto('dkimKeys').values(key).execute();
  return { projectId, id, name };
}

const start = (from: string | null, warnings: string[] = []) =>
  prepareServiceMail({
    database,
    sealer,
    from,
    hostedDomain: HOSTED,
    trustsManualVerification: false,
    logger: { warn: (_, message) => warnings.push(message) },
  });

const send = (from: string) =>
  new ServiceMail({ from, hostedDomain: HOSTED, sealer, trustsManualVerification: false }).send(
    database,
    MESSAGE,
  );

test('service mail belongs to the installation, even if its sender is on the domain of a project', async () => {
  await verifiedDomain('company.example');
  await send('noreply@company.example');
  const rows = await database
    .selectFrom('submissions')
    .select('projectId')
    .where('fromDomain', '=', 'company.example')
    .execute();
  assert.deepEqual(rows, [{ projectId: HOSTED_PROJECT_ID }]);
});

test('a sender is reserved while POSTHORN_MAIL_FROM names it, and permanently once mail was sent from it', async () => {
  await verifiedDomain('reserved.example');
  const isReserved = () => isServiceSender(database, 'reserved.example', 'hello');
  await start('Hello+x@reserved.example');
  assert.equal(await isReserved(), true);
  await sql`update service_senders set named_at = now() - interval '25 hours'`.execute(database);
  await start(null);
  assert.equal(await isReserved(), false);
  await send('Hello+x@reserved.example');
  await sql`update service_senders set named_at = now() - interval '25 hours'`.execute(database);
  await start(null);
  assert.equal(await isReserved(), true);
  assert.equal(await isServiceSender(database, HOSTED, 'posthorn'), true);
});

test('the Message-ID of service mail contains a live token', async () => {
  const sent = await send(`posthorn@${HOSTED}`);
  const { messageId } = await database
    .selectFrom('submissions')
    .select('messageId')
    .where('id', '=', sent)
    .executeTakeFirstOrThrow();
  const tokens = new ServiceTokens(sealer.deriveKey(SERVICE_TOKEN_KEY));
  assert.equal(tokens.isLive(messageId, clock.nowMs()), true);
});

test('the first start copies the domain claim of a project to the installation with a warning, and both sign with its key', async () => {
  const claim = await verifiedDomain('copied.example');
  const warnings: string[] = [];
  await start('noreply@copied.example', warnings);
  await start('noreply@copied.example', warnings);
  assert.deepEqual(warnings, [
    'the claim on the domain of POSTHORN_MAIL_FROM was copied to the installation',
  ]);
  const keyring = new DkimKeyring(database, sealer, HOSTED);
  for (const owner of [HOSTED_PROJECT_ID, claim.projectId]) {
    const keys = await keyring.keysFor(owner, claim.name);
    assert.deepEqual(
      keys.map(({ selector }) => selector),
      ['ph1'],
    );
  }
});

test('other projects cannot sign with the keys of the domain of the installation', async () => {
  await verifiedDomain('signed.example');
  await start('noreply@signed.example');
  const keyring = new DkimKeyring(database, sealer, HOSTED);
  assert.deepEqual(await keyring.keysFor(await newProject(database), 'signed.example'), []);
});

test('a domain claim is in use while service mail is sent from its domain', async () => {
  const claim = await verifiedDomain('used.example');
  const isUsed = () => database.transaction().execute((tx) => isInServiceUse(tx, claim));
  assert.equal(await isUsed(), false);
  await start('noreply@used.example');
  assert.equal(await isUsed(), true);
  await start(null);
  assert.equal(await isUsed(), false);
});

test('a domain added by an operator sends service mail once it is verified, with its own key, and no project can use it', async () => {
  const from = 'noreply@own.example';
  const mailAccess = { hostname: 'mx.example', webHost: 'mx.example', services: [] };
  await addServiceDomain({ database, sealer, hostedDomain: HOSTED, mailAccess }, 'own.example');
  const warnings: string[] = [];
  await start(from, warnings);
  assert.deepEqual(warnings, ['the domain of POSTHORN_MAIL_FROM is not verified yet']);
  await assert.rejects(send(from), /own\.example, whose DNS records are not verified yet/);
  const verified = { status: 'verified', verifiedAt: clock.now() } as const;
  await database.updateTable('domains').set(verified).where('name', '=', 'own.example').execute();
  await start(from, warnings);
  assert.equal(warnings.length, 1);
  await send(from);
  const keyring = new DkimKeyring(database, sealer, HOSTED);
  assert.equal((await keyring.keysFor(HOSTED_PROJECT_ID, 'own.example')).length, 1);
  assert.deepEqual(await keyring.keysFor(await newProject(database), 'own.example'), []);
});

test('while the sender domain is unverified, a password reset gets the usual response, and the missing mail is logged', async () => {
  const from = 'noreply@waiting.example';
  const mailAccess = { hostname: 'mx.example', webHost: 'mx.example', services: [] };
  await addServiceDomain({ database, sealer, hostedDomain: HOSTED, mailAccess }, 'waiting.example');
  const user = { email: 'ada@user.example', name: 'Ada', passwordHash: null, isOperator: false };
  await database.transaction().execute((tx) => createUser(tx, user));
  const requestReset = async (email: string, mailFrom: string | null) => {
    const logged: string[] = [];
    const mail = new AccountMail({
      database,
      baseUrl: () => 'https://mail.example',
      onQueued() {},
      mail: new ServiceMail({
        from: mailFrom,
        hostedDomain: HOSTED,
        sealer,
        trustsManualVerification: false,
      }),
      logger: { error: ({ err }: { err?: Error }, message) => logged.push(`${message}: ${err?.message}`) },
    });
    const answer = await mail.requestReset({ email, address: '192.0.2.1' });
    await mail[Symbol.asyncDispose]();
    return { answer, logged };
  };
  const queued = async () => (await database.selectFrom('queue').select('emailId').execute()).length;
  const before = await queued();
  const stopped = await requestReset('ada@user.example', from);
  assert.match(
    stopped.logged.join(),
    /^an email to a user could not be created: .* waiting\.example, whose DNS records/,
  );
  assert.deepEqual([stopped.answer, await queued()], [0, before]);
  assert.deepEqual(await database.selectFrom('signInLinks').select('id').execute(), []);
  const unknown = await requestReset('ben@user.example', from);
  assert.deepEqual(unknown, { answer: stopped.answer, logged: [] });
  const sent = await requestReset('ada@user.example', null);
  assert.deepEqual([sent, await queued()], [unknown, before + 1]);
});

test('a sender on a domain that no project has verified is an error that names POSTHORN_MAIL_FROM', async () => {
  const warnings: string[] = [];
  await start('noreply@nowhere.example', warnings);
  assert.deepEqual(warnings, ['the domain of POSTHORN_MAIL_FROM is verified by no project']);
  await assert.rejects(send('noreply@nowhere.example'), /POSTHORN_MAIL_FROM is at nowhere\.example/);
});
