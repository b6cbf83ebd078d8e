import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../../../../test/support/dns-server.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { expiredCertificate, stsCertificate } from '../../../../test/support/tls/certificate.ts';
import {
  type ReceiverBehavior,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../../test/support/webhook-receiver.ts';
import { openDatabase } from '../../../db/database.ts';
import { DnsResolver } from '../../../net/dns.ts';
import { GuardedClient, type GuardedClientOptions } from '../../../net/guarded-client.ts';
import { StsPolicies, type StsPoliciesOptions } from './sts-policies.ts';
import type { TlsSession } from './tls-outcomes.ts';
import { DAY_MS } from '../../../model/day.ts';

const MINUTE_MS = 60_000;
const WEEK_SECONDS = 7 * 24 * 60 * 60;
const ENFORCE = { mode: 'enforce', mx: ['mx.dst.test'], maxAgeSeconds: WEEK_SECONDS };
const TESTING = { ...ENFORCE, mode: 'testing' };

let db: TestDatabase;
let dns: DnsServer;
/** The policy host of both dst.test and sts.test. */
let host: WebhookReceiver;
/** One client for each simulated process, because each client has its own cache. */
let clients: GuardedClient[] = [];
let nowMs: number;
let results: TlsSession[];
let warnings: string[];

before(async () => {
  db = await testDatabase();
});
after(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  nowMs = Date.parse('2026-11-20T12:00:00Z');
  results = [];
  warnings = [];
  await db.database.deleteFrom('mtaStsPolicies').execute();
  host = await startWebhookReceiver({ tls: stsCertificate, answer: serving(policyText('enforce')) });
  dns = await startDnsServer({
    '_mta-sts.dst.test': { TXT: ['v=STSv1; id=one'] },
    'mta-sts.dst.test': { A: ['127.0.0.1'] },
    'plain.test': { MX: ['10 mx.plain.test'] },
  });
});
afterEach(async () => {
  for (const client of clients) await client[Symbol.asyncDispose]();
  clients = [];
  await Promise.all([host[Symbol.asyncDispose](), dns[Symbol.asyncDispose]()]);
});

function policyText(mode: string, seconds = WEEK_SECONDS): string {
  return `version: STSv1\r\nmode: ${mode}\r\nmx: mx.dst.test\r\nmax_age: ${seconds}\r\n`;
}

function serving(body: string): ReceiverBehavior {
  return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** Starts a new simulated process. */
function start(
  options: Partial<StsPoliciesOptions> & { client?: never } = {},
  clientOptions: Partial<GuardedClientOptions> = {},
): StsPolicies {
  const client = new GuardedClient({
    allowLoopback: true,
    maxConnectionsPerOrigin: 1,
    dns: dns.address,
    ca: [stsCertificate.cert, expiredCertificate.cert],
    ...clientOptions,
  });
  clients.push(client);
  return new StsPolicies({
    database: db.database,
    resolver: new DnsResolver(dns.address),
    client,
    tlsResults: { record: (result) => results.push(result) },
    logger: { warn: (_: unknown, text?: string) => warnings.push(String(text)) },
    httpsPort: host.port,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    ...options,
  });
}

function publish(id: string, policy: string): void {
  dns.zone['_mta-sts.dst.test'] = { TXT: [`v=STSv1; id=${id}`] };
  host.answerWith(serving(policy));
}

function failEverything(): void {
  dns.zone['_mta-sts.dst.test'] = { fault: 'servfail' };
  host.answerWith({ status: 500 });
}

/** The test database, unreachable until `comeBack` is called. */
function awayAtFirst() {
  const away = openDatabase('postgres://127.0.0.1:1/nowhere');
  let current = away;
  const database = new Proxy(db.database, {
    get(_, name) {
      const value: unknown = Reflect.get(current, name, current);
      return typeof value === 'function' ? value.bind(current) : value;
    },
  });
  return {
    database,
    comeBack: () => (current = db.database),
    [Symbol.asyncDispose]: () => away.destroy(),
  };
}

test('the policy of a domain is fetched from the URL that RFC 8461 specifies', async () => {
  const policies = start();
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  const [request, ...others] = host.received;
  assert.deepEqual(others, []);
  assert.equal(request?.method, 'GET');
  assert.equal(request?.path, '/.well-known/mta-sts.txt');
  assert.equal(request?.headers.host, `mta-sts.dst.test:${host.port}`);
  assert.deepEqual([results, warnings], [[], []]);
});

test('a domain without a policy causes one DNS query in five minutes, and is not stored', async () => {
  const policies = start();
  for (let times = 0; times < 3; times++) assert.equal(await policies.find('plain.test'), null);
  assert.deepEqual(dns.questions, ['TXT _mta-sts.plain.test']);
  nowMs += 5 * MINUTE_MS;
  assert.equal(await policies.find('plain.test'), null);
  assert.equal(dns.questions.length, 2);
  assert.deepEqual(await db.database.selectFrom('mtaStsPolicies').selectAll().execute(), []);
  assert.deepEqual([host.received, results, warnings], [[], [], []]);
});

test('concurrent lookups of a domain share one request', async () => {
  const policies = start();
  const found = await Promise.all(Array.from({ length: 20 }, () => policies.find('dst.test')));
  for (const policy of found) assert.deepEqual(policy, ENFORCE);
  assert.equal(host.received.length, 1);
  assert.equal(dns.questions.filter((question) => question.startsWith('TXT')).length, 1);
});

test('the policy is not fetched again while the DNS record has the id of the cached policy', async () => {
  const policies = start();
  await policies.find('dst.test');
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
  assert.equal(host.received.length, 1);
});

test('the new policy is fetched if the id in the DNS record changes', async () => {
  const policies = start();
  await policies.find('dst.test');
  publish('two', policyText('testing'));
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await policies.find('dst.test'), TESTING);
  failEverything();
  assert.deepEqual(await start().find('dst.test'), TESTING);
});

test('a policy stays in force until it expires although DNS and the policy host fail, even after a restart', async () => {
  const policies = start();
  await policies.find('dst.test');
  failEverything();
  nowMs += WEEK_SECONDS * 1_000 - 1;
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
  nowMs += 5 * MINUTE_MS;
  assert.equal(await policies.find('dst.test'), null);
  assert.equal(await start().find('dst.test'), null);
});

test('a policy stays in force if its DNS record is missing, invalid or not unique', async () => {
  await start().find('dst.test');
  for (const TXT of [[], ['v=STSv1; id=two', 'v=STSv1; id=three'], ['v=STSv1; id=-']]) {
    dns.zone['_mta-sts.dst.test'] = { TXT };
    assert.deepEqual(await start().find('dst.test'), ENFORCE);
  }
  delete dns.zone['_mta-sts.dst.test'];
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
  assert.equal(host.received.length, 1);
});

test('a policy stays in force if its replacement cannot be fetched', async () => {
  await start().find('dst.test');
  for (const answer of ['reset', { status: 404 }, serving('nonsense')] as const) {
    publish('two', '');
    host.answerWith(answer);
    assert.deepEqual(await start().find('dst.test'), ENFORCE);
  }
  publish('two', policyText('none'));
  assert.equal((await start().find('dst.test'))?.mode, 'none');
});

test('a policy is fetched again every day, so that it does not expire', async () => {
  const policies = start();
  await policies.find('dst.test');
  for (let day = 1; day <= 10; day++) {
    nowMs += DAY_MS;
    assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  }
  assert.equal(host.received.length, 11);
  failEverything();
  nowMs += DAY_MS;
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
});

test('a policy with a short max_age is fetched again after half of its lifetime', async () => {
  host.answerWith(serving(policyText('enforce', 3_600)));
  const policies = start();
  await policies.find('dst.test');
  nowMs += 29 * MINUTE_MS;
  await policies.find('dst.test');
  assert.equal(host.received.length, 1);
  nowMs += 5 * MINUTE_MS;
  await policies.find('dst.test');
  assert.equal(host.received.length, 2);
});

test('a policy is fetched again even if an attacker blocks DNS', async () => {
  await start().find('dst.test');
  dns.zone['_mta-sts.dst.test'] = { fault: 'servfail' };
  for (let day = 1; day <= 10; day++) {
    nowMs += DAY_MS;
    assert.deepEqual(await start().find('dst.test'), ENFORCE);
  }
  assert.equal(host.received.length, 11);
});

test('a failed fetch is retried after five minutes, and not earlier', async () => {
  host.answerWith({ status: 503 });
  const policies = start();
  for (let times = 0; times < 3; times++) assert.equal(await policies.find('dst.test'), null);
  assert.equal(host.received.length, 1);
  publish('one', policyText('enforce'));
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
});

const REFUSED: readonly [what: string, answer: ReceiverBehavior, outcome: TlsSession['outcome']][] = [
  [
    'a status other than 200',
    { ...(serving(policyText('enforce')) as object), status: 201 },
    'sts-policy-fetch-error',
  ],
  ['no answer', 'reset', 'sts-policy-fetch-error'],
  [
    'HTML',
    { headers: { 'content-type': 'text/html' }, body: policyText('enforce') },
    'sts-policy-fetch-error',
  ],
  ['no type', { body: policyText('enforce') }, 'sts-policy-fetch-error'],
  [
    'another type',
    { headers: { 'content-type': 'text/plainer' }, body: policyText('enforce') },
    'sts-policy-fetch-error',
  ],
  ['more than 64 KB', serving(policyText('enforce') + 'x'.repeat(65_536)), 'sts-policy-fetch-error'],
  [
    'a truncated response',
    { ...(serving(policyText('enforce')) as object), ending: 'break' },
    'sts-policy-fetch-error',
  ],
  ['no policy', serving('version: STSv1'), 'sts-policy-invalid'],
];

test('a policy response that is invalid, truncated, too long or of the wrong type is rejected and counted', async () => {
  for (const [what, answer, outcome] of REFUSED) {
    host.answerWith(answer);
    results = [];
    assert.equal(await start().find('dst.test'), null, what);
    assert.deepEqual(results, [{ policyDomain: 'dst.test', policyType: 'sts', mxHost: '', outcome }], what);
  }
  assert.equal(warnings.length, REFUSED.length);
});

test('a policy of 64 KB is accepted', async () => {
  const text = policyText('enforce');
  host.answerWith(serving(text + 'x'.repeat(65_536 - text.length)));
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
});

test('a redirect is not followed', async () => {
  await using elsewhere = await startWebhookReceiver({
    tls: stsCertificate,
    answer: serving(policyText('enforce')),
  });
  dns.zone['mta-sts.sts.test'] = { A: ['127.0.0.1'] };
  host.answerWith({ status: 301, headers: { location: `https://mta-sts.sts.test:${elsewhere.port}/` } });
  assert.equal(await start().find('dst.test'), null);
  assert.deepEqual(elsewhere.received, []);
});

test('a policy is ignored if the certificate of its host is invalid', async () => {
  const records = { TXT: ['v=STSv1; id=one'] };
  Object.assign(dns.zone, { '_mta-sts.other.test': records, 'mta-sts.other.test': { A: ['127.0.0.1'] } });
  const outcomes = () => results.map(({ outcome }) => outcome);
  assert.equal(await start().find('other.test'), null);
  assert.deepEqual(outcomes(), ['sts-webpki-invalid']);

  await using expired = await startWebhookReceiver({ tls: expiredCertificate });
  assert.equal(await start({ httpsPort: expired.port }).find('dst.test'), null);
  assert.deepEqual(outcomes(), ['sts-webpki-invalid', 'sts-webpki-invalid']);
  const nodesCertificates = { ca: undefined };
  assert.equal(await start({}, nodesCertificates).find('dst.test'), null);
  assert.deepEqual(outcomes(), Array(3).fill('sts-webpki-invalid'));
  assert.deepEqual([host.received, expired.received], [[], []]);
});

test('in production, a policy host with a private address is not contacted', async () => {
  assert.equal(await start({}, { allowLoopback: false }).find('dst.test'), null);
  assert.equal(host.connections, 0);
  assert.equal(results[0]?.outcome, 'sts-policy-fetch-error');
});

test('policies fetched while the database is unavailable stay in force and are stored later', async () => {
  await using flaky = awayAtFirst();
  const policies = start({ database: flaky.database });
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  assert.ok(warnings.length > 0);
  failEverything();
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);

  flaky.comeBack();
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await policies.find('dst.test'), ENFORCE);
  assert.deepEqual(await start().find('dst.test'), ENFORCE);
});

test('a process with an older policy does not overwrite a newer policy', async () => {
  await using flaky = awayAtFirst();
  const slow = start({ database: flaky.database });
  await slow.find('dst.test');
  nowMs += MINUTE_MS;
  publish('two', policyText('testing'));
  await start().find('dst.test');
  flaky.comeBack();
  failEverything();
  nowMs += 5 * MINUTE_MS;
  assert.deepEqual(await slow.find('dst.test'), TESTING);
  assert.deepEqual(await start().find('dst.test'), TESTING);
});

test('expired policies are deleted when other policies are stored', async () => {
  await start().find('dst.test');
  Object.assign(dns.zone, {
    '_mta-sts.sts.test': { TXT: ['v=STSv1; id=one'] },
    'mta-sts.sts.test': { A: ['127.0.0.1'] },
  });
  nowMs += WEEK_SECONDS * 1_000 + 1;
  await start().find('sts.test');
  const rows = await db.database.selectFrom('mtaStsPolicies').select('domain').execute();
  assert.deepEqual(rows, [{ domain: 'sts.test' }]);
});

test('an invalid domain has no policy', async () => {
  const policies = start();
  for (const domain of ['', '.', 'a b.test', '[192.0.2.1]', 'a\0.test', `${'a.'.repeat(130)}test`, 'a/b@c']) {
    assert.equal(await policies.find(domain), null, domain);
  }
  assert.equal(host.connections, 0);
});
