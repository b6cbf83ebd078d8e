import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentOf, posthorn, type Ran } from '../../../test/support/cli.ts';
import { type DnsZone, publish, startDnsServer } from '../../../test/support/dns-server.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { startSmtpServer } from '../../../test/support/smtp-server.ts';
import { readClaims } from '../../domains/claim.ts';
import { expectedRecords } from '../../domains/expected-records.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { startTestApi } from '../http/api.fixture.ts';
import { startTestListener } from '../smtp/dialogue.fixture.ts';
import type { DoctorCheckResult } from '../../installation/doctor/checks.ts';
import { CHANGED_DEFAULTS } from '../../installation/doctor/changed-defaults.ts';
import type { UpgradeEntry } from '../../installation/doctor/upgrade.ts';
import { goodZone, HOSTNAME, PROBE_DOMAIN, tlsFile } from '../../installation/doctor/world.fixture.ts';

function verdicts({ stdout }: Ran): Record<string, string> {
  const { checks } = JSON.parse(stdout) as { checks: DoctorCheckResult[] };
  return Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]));
}

test('doctor exits with 0 if there is no problem', async () => {
  await using db = await sealedDatabase();
  await ensureHostedDomain(db.database, db.sealer, 'hosted.test');
  const [claim] = await readClaims(db.database, HOSTED_PROJECT_ID, 'hosted.test');
  // The address is private, because the test does not know the public address of its machine.
  const zone: DnsZone = { ...goodZone(), [HOSTNAME]: { A: ['127.0.0.1'] } };
  publish(zone, expectedRecords('hosted.test', claim?.keys ?? [], HOSTNAME));
  await using dns = await startDnsServer(zone);
  await using smartHost = await startSmtpServer();
  await using listener = await startTestListener({ hostname: HOSTNAME });
  await using api = await startTestApi();
  const env = {
    ...environmentOf(db),
    POSTHORN_HTTP_PORT: String(api.port),
    POSTHORN_DNS: dns.address,
    POSTHORN_HOSTNAME: HOSTNAME,
    POSTHORN_HOSTED_DOMAIN: 'hosted.test',
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${smartHost.port}`,
    POSTHORN_SMTP_PORT: String(listener.port),
    POSTHORN_TLS_CERT: tlsFile('cert.pem'),
    POSTHORN_TLS_KEY: tlsFile('key.pem'),
  };
  const result = await posthorn(env, 'doctor', '--json', '--probe-domain', PROBE_DOMAIN);
  const { disk, ...others } = verdicts(result);
  assert.deepEqual(others, {
    settings: 'ok',
    variables: 'ok',
    database: 'ok',
    connections: 'ok',
    sending: 'ok',
    workers: 'ok',
    queue: 'ok',
    clock: 'ok',
    service: 'ok',
    dns: 'ok',
    hostname: 'warning',
    smart_host: 'ok',
    inbound: 'ok',
    mail_domains: 'ok',
    postmaster: 'warning',
    reserved_addresses: 'ok',
    certificate: 'ok',
    hosted_domain: 'ok',
    service_mail: 'ok',
    dkim_rotation: 'ok',
    base_url: 'warning',
    metrics: 'ok',
  });
  assert.equal(result.code, disk === 'problem' ? 1 : 0);
});

test('doctor finds no problem in a sandbox whose host name has no dot, without DNS', async () => {
  await using db = await sealedDatabase();
  await using listener = await startTestListener({ hostname: 'laptop' });
  await using api = await startTestApi();
  const env = {
    ...environmentOf(db),
    POSTHORN_HTTP_PORT: String(api.port),
    POSTHORN_SMTP_PORT: String(listener.port),
    POSTHORN_HOSTNAME: 'laptop',
    POSTHORN_DNS: '127.0.0.1:1',
  };
  const result = await posthorn(env, 'doctor', '--json');
  const { disk, ...others } = verdicts(result);
  const names = [
    'settings',
    'variables',
    'database',
    'connections',
    'sending',
    'workers',
    'queue',
    'clock',
    'service',
    'inbound',
    'metrics',
  ];
  assert.deepEqual(others, Object.fromEntries(names.map((name) => [name, 'ok'])));
  assert.equal(result.code, disk === 'problem' ? 1 : 0);
});

test('doctor exits with 1 if there are problems, and prints how to fix each problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-doctor-'));
  const dataDir = join(folder, 'data');
  await using dns = await startDnsServer({});
  const result = await posthorn(
    {
      POSTHORN_DATA: dataDir,
      POSTHORN_DNS: dns.address,
      POSTHORN_HOSTNAME: 'laptop',
      POSTHORN_PROVIDER: 'direct',
      POSTHORN_ROLES: 'http,worker',
      POSTHORN_HTTP_PORT: '1',
      POSTHORN_HOST_NAME: 'mistyped',
    },
    'doctor',
    '--probe-domain',
    PROBE_DOMAIN,
  );
  assert.equal(result.code, 1);
  assert.equal(result.stderr, '');
  assert.match(
    result.stdout,
    /^warning settings\n {4}POSTHORN_ENV is development.*\n {4}-> Set POSTHORN_ENV/,
  );
  assert.match(
    result.stdout,
    /^problem database\n {4}.*there is no database in .*\n {4}-> Start Posthorn once/m,
  );
  assert.match(
    result.stdout,
    /^problem hostname\n {4}POSTHORN_HOSTNAME is laptop, .*\n {4}-> Set POSTHORN_HOSTNAME/m,
  );
  assert.match(result.stdout, /^problem outgoing\n {4}The domain probe\.test does not exist/m);
  assert.match(result.stdout, /^problem ptr\n/m);
  assert.match(result.stdout, /^warning variables\n {4}POSTHORN_HOST_NAME is set, .*mean POSTHORN_HOSTNAME/m);
  assert.match(result.stdout, /^problem service\n {4}Posthorn does not answer on port 1 /m);
  assert.doesNotMatch(result.stdout, /inbound|certificate/);
  assert.equal(existsSync(dataDir), false, 'nothing is made');
  rmSync(folder, { recursive: true });
});

test('doctor --upgrade lists the changed defaults, and whether each change affects this installation', async () => {
  await using db = await sealedDatabase();
  const env = { ...environmentOf(db), POSTHORN_MAIL_FROM: 'ops@acme.example' };
  const listed = await posthorn(env, 'doctor', '--upgrade', '--json');
  assert.equal(listed.code, 0, listed.stderr);
  const { changes } = JSON.parse(listed.stdout) as { changes: UpgradeEntry[] };
  assert.deepEqual(
    changes.map(({ name }) => name),
    CHANGED_DEFAULTS.map(({ name }) => name),
  );
  const of = (name: string) => changes.find((change) => change.name === name)?.is_touched;
  assert.deepEqual([of('service_sender'), of('listen'), of('import_exit_code')], [false, true, null]);

  const { stdout } = await posthorn(env, 'doctor', '--upgrade');
  assert.match(
    stdout,
    /^no effect service_sender \(since 0\.2\.0, 2026-11-28\)\n {4}Before: The service sent/m,
  );
  assert.match(
    stdout,
    /^affected listen .*\n.*\n.*\n {4}Here: POSTHORN_LISTEN is not set\.\n {4}-> If other machines .* set POSTHORN_LISTEN/m,
  );
  assert.match(stdout, /^check import_exit_code /m);
});
