import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { publish, startDnsServer } from '../../../test/support/dns-server.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { createKey } from '../../domains/dkim-key.ts';
import { expectedRecords } from '../../domains/expected-records.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { checkKey } from '../../domains/look-up-records.ts';
import { addServiceDomain } from '../../domains/own-service-domains.ts';
import { ensureServiceDomain, recordServiceMailDomain } from '../../domains/service-domain.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkServiceMail } from './service-mail.ts';
import { HOSTNAME, worldWith } from './world.fixture.ts';

const HOSTED = 'hosted.example';
const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());
const { database, sealer } = db;
const dns = await startDnsServer();
after(() => dns[Symbol.asyncDispose]());

/** @param mailFrom POSTHORN_MAIL_FROM in the environment of the check */
function check(mailFrom?: string) {
  const env = {
    POSTHORN_HOSTED_DOMAIN: HOSTED,
    ...(mailFrom !== undefined && { POSTHORN_MAIL_FROM: mailFrom }),
  };
  return checkServiceMail(worldWith(dns.address, { env, database: { opened: database } }));
}

function addOwn(name: string) {
  const mailAccess = { hostname: HOSTNAME, webHost: HOSTNAME, services: [] };
  return addServiceDomain({ database, sealer, hostedDomain: HOSTED, mailAccess }, name);
}

const setState = (name: string, values: object) =>
  database
    .updateTable('domains')
    .set(values)
    .where('projectId', '=', HOSTED_PROJECT_ID)
    .where('name', '=', name)
    .execute();

test('the finding refers to the check of the hosted domain if service mail is sent from the hosted domain', async () => {
  assertFinding(await check(), 'ok', /^Service mail is sent from the hosted domain hosted\.example/);
  assertFinding(await checkServiceMail(worldWith(dns.address)), 'problem', /cannot be checked/, /database/);
});

test('an unverified domain of the sender is a problem, in this environment or at the latest start', async () => {
  const seen = /^Service mail is not sent: .* POSTHORN_MAIL_FROM is at nowhere\.example, which no project/;
  const advice = /domain add --installation --domain nowhere\.example/;
  assertFinding(await check('hello@nowhere.example'), 'problem', seen, advice);
  await recordServiceMailDomain(database, 'nowhere.example');
  assertFinding(await check(), 'problem', seen, advice);
  await recordServiceMailDomain(database, HOSTED);
});

test('the finding names the missing records of a sender domain that is waiting for its records or has lost them', async () => {
  const name = 'own.example';
  const { records } = await addOwn(name);
  const of = (kind: string) => records.filter(({ record }) => record === kind);
  await recordServiceMailDomain(database, name);
  publish(dns.zone, [...of('DKIM'), ...of('SPF')]);
  const missing = /There is no MX record at send\.own\.example/;
  const waiting = await check();
  assertFinding(waiting, 'problem', /^Service mail is not sent: .*own\.example.* are not verified\./, /./);
  assertFinding(waiting, 'problem', missing, /domain show --installation .* checked next at 20\d\d-/);
  await setState(name, { status: 'failed', nextCheckAt: null });
  assertFinding(
    await check(),
    'problem',
    missing,
    /domain add --installation .* again, since they are no longer/,
  );

  await setState(name, { status: 'warning', verifiedAt: new Date(), warningSince: new Date() });
  assertFinding(
    await check(),
    'warning',
    /^own\.example, .*, has lost DNS records, .* stops at 20/,
    /Publish/,
  );
  await setState(name, { status: 'verified', warningSince: null });
  assertFinding(
    await check(),
    'warning',
    /MX record .* stops 72 hours after a server has noticed/,
    /Publish/,
  );
  publish(dns.zone, of('MAIL_FROM'));
  const [spf] = of('SPF');
  assert.ok(spf);
  const atSpf = dns.zone[spf.name];
  dns.zone[spf.name] = { ...atSpf, TXT: [`${spf.value};`] };
  assertFinding(await check(), 'warning', /"~all;" is not valid.* stops 72 hours after/, /Publish/);
  // An earlier version checked the record.
  const checks = { [checkKey(spf)]: { status: 'verified', found: [], error: null } };
  await setState(name, { checks: JSON.stringify(checks) });
  assertFinding(await check(), 'warning', /"~all;" is not valid.* counts as verified until 20/, /Correct/);
  dns.zone[spf.name] = { ...atSpf };
  assertFinding(await check(), 'ok', /^The required records of own\.example, .* are published\.$/);
});

test("the records of keys copied from a project are checked, and a waiting key of the installation's own is named", async () => {
  const name = 'copied.example';
  const projectId = await newProject(database);
  const domainId = await newDomain(database, projectId, name, { status: 'verified' });
  const key = await createKey(sealer, { projectId, domainId, selector: 'ph1' }, 'ed25519-sha256');
  await database.insertInto('dkimKeys').values(key).execute();
  await recordServiceMailDomain(database, name);
  assertFinding(
    await check(),
    'ok',
    /^A project has verified copied\.example: the next start copies its keys/,
  );
  await ensureServiceDomain(database, sealer, name, false);
  assertFinding(
    await check(),
    'problem',
    /^Receivers may reject service mail from copied\.example, .*: .*TXT record at ph1\._domainkey/,
    /Let the project publish .* domain add --installation/,
  );
  publish(dns.zone, expectedRecords(name, [key], HOSTNAME));
  assertFinding(await check(), 'ok', /^Service mail from copied\.example is signed with keys copied/);
  await addOwn(name);
  assertFinding(
    await check(),
    'warning',
    /own key of copied\.example is waiting/,
    /domain show --installation/,
  );
});
