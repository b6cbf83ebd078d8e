import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { directTo, type TestDirect } from '../../../../test/support/direct-to.ts';
import { IMPATIENT, outboundMessage } from '../../../../test/support/relay-to.ts';
import { type SmtpServerOptions, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { expiredCertificate, testCertificate } from '../../../../test/support/tls/certificate.ts';
import type { StsPolicy } from '../../../rfc/mta-sts/mta-sts.ts';
import type { Outcome } from '../provider.ts';

const TRUSTED = [testCertificate.cert, expiredCertificate.cert];

/** A server that offers only a TLS version that no client accepts. */
const OLD: SmtpServerOptions['tls'] = {
  ...testCertificate,
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1',
  ciphers: 'DEFAULT@SECLEVEL=0',
};

/** The zone of example.net with these MX hosts. Certificates in these tests are for mx.example. */
const zoneOf = (...hosts: string[]) => ({
  'example.net': { MX: hosts.map((host, at) => `${at} ${host}`) },
  ...Object.fromEntries(hosts.map((host, at) => [host, { A: [`127.0.0.${at + 1}`] }])),
});

interface SendResult {
  outcome: string;
  /** The TLS results, in the format of TLS reports. */
  results: string[];
  connections: number;
}

function describeOutcome(outcome: Outcome): string {
  assert.ok(outcome !== undefined && 'reply' in outcome);
  if (outcome.outcome !== 'transient') return `${outcome.outcome} ${outcome.reply.tls ? 'TLS' : 'clear'}`;
  return `waits: ${outcome.scope}`;
}

async function sendOne(
  server: SmtpServerOptions,
  policy: Omit<StsPolicy, 'maxAgeSeconds'> | null,
  hosts: string[] = ['mx.example'],
): Promise<SendResult> {
  await using mx = await startSmtpServer(server);
  const results: string[] = [];
  await using direct: TestDirect = await directTo(mx.port, zoneOf(...hosts), {
    timings: IMPATIENT,
    ca: TRUSTED,
    stsPolicies: { find: async () => (policy === null ? null : { maxAgeSeconds: 86_400, ...policy }) },
    tlsResults: {
      record: ({ policyDomain, policyType, mxHost, outcome }) => {
        results.push([policyDomain, policyType, mxHost, outcome].join(' '));
      },
    },
  });
  const outcome = describeOutcome(await direct.send(outboundMessage()));
  assert.deepEqual(mx.violations, []);
  return { outcome, results, connections: mx.connections };
}

const refuseStartTls: SmtpServerOptions['reply'] = (stage) =>
  stage === 'starttls' ? '454 4.7.0 no' : undefined;
const breakHandshake: SmtpServerOptions['reply'] = (stage) => (stage === 'handshake' ? 'close' : undefined);

const enforce = { mode: 'enforce', mx: ['*.example', 'mx.example'] } as const;
const SERVERS: Record<string, { options: SmtpServerOptions; host?: string }> = {
  'a certificate in order': { options: { tls: testCertificate } },
  "another host's certificate": { options: { tls: testCertificate }, host: 'other.example' },
  'an expired certificate': { options: { tls: expiredCertificate } },
  'TLS 1.0 alone': { options: { tls: OLD } },
  'no STARTTLS': { options: {} },
  'a STARTTLS that it refuses': { options: { tls: testCertificate, reply: refuseStartTls } },
  'a handshake that breaks': { options: { tls: testCertificate, reply: breakHandshake } },
};

/** For each server, the outcome and the reported result: without a policy, under an enforced policy, and under a policy in testing mode. */
const cases: [
  server: string,
  without: [string, string],
  enforced: [string, string],
  tested: [string, string],
][] = [
  [
    'a certificate in order',
    ['accepted TLS', 'success'],
    ['accepted TLS', 'success'],
    ['accepted TLS', 'success'],
  ],
  [
    "another host's certificate",
    ['accepted TLS', 'success'],
    ['waits: host', 'certificate-host-mismatch'],
    ['accepted TLS', 'certificate-host-mismatch'],
  ],
  [
    'an expired certificate',
    ['accepted TLS', 'success'],
    ['waits: host', 'certificate-expired'],
    ['accepted TLS', 'certificate-expired'],
  ],
  [
    'TLS 1.0 alone',
    ['accepted TLS', 'success'],
    ['waits: host', 'validation-failure'],
    ['accepted TLS', 'success'],
  ],
  [
    'no STARTTLS',
    ['accepted clear', 'starttls-not-supported'],
    ['waits: host', 'starttls-not-supported'],
    ['accepted clear', 'starttls-not-supported'],
  ],
  [
    'a STARTTLS that it refuses',
    ['accepted clear', 'starttls-not-supported'],
    ['waits: host', 'starttls-not-supported'],
    ['accepted clear', 'starttls-not-supported'],
  ],
  [
    'a handshake that breaks',
    ['accepted clear', 'validation-failure'],
    ['waits: host', 'validation-failure'],
    ['accepted clear', 'validation-failure'],
  ],
];

for (const [name, without, enforced, tested] of cases) {
  describe(`a server with ${name}`, () => {
    const { options, host = 'mx.example' } = SERVERS[name] ?? { options: {} };
    const modes = [
      ['without a policy', null, without],
      ['under a policy', enforce, enforced],
      ['under a policy in testing mode', { ...enforce, mode: 'testing' }, tested],
      ['under a policy in mode none', { mode: 'none', mx: [] }, without],
    ] as const;
    for (const [mode, policy, [outcome, result]] of modes) {
      test(`${mode}: ${outcome}`, async () => {
        const type = policy === null || policy.mode === 'none' ? 'no-policy-found' : 'sts';
        const seen = await sendOne(options, policy, [host]);
        assert.equal(seen.outcome, outcome);
        assert.deepEqual(seen.results, [`example.net ${type} ${host} ${result}`]);
      });
    }
  });
}

describe('a policy that does not list the most preferred MX host', () => {
  const policy = { mode: 'enforce', mx: ['mx.example'] } as const;

  test('excludes that host', async () => {
    // The server is at 127.0.0.1, the address of the best host. The host that the policy allows has another address.
    const seen = await sendOne({ tls: testCertificate }, policy, ['other.example', 'mx.example']);
    assert.deepEqual([seen.outcome, seen.connections], ['waits: host', 0]);
  });

  test('a policy that allows none of the MX hosts defers the message, and the reply names the policy', async () => {
    await using direct = await directTo(25, zoneOf('other.example'), {
      stsPolicies: { find: async () => ({ ...policy, maxAgeSeconds: 86_400 }) },
    });
    const outcome = await direct.send(outboundMessage());
    assert.ok(outcome.outcome === 'transient' && outcome.scope === 'host');
    assert.equal(outcome.reply.text, 'The MTA-STS policy of example.net allows none of its MX hosts');
  });

  test('a policy in testing mode allows a host that does not match, and the mismatch is reported', async () => {
    const seen = await sendOne({ tls: testCertificate }, { ...policy, mode: 'testing' }, ['other.example']);
    assert.equal(seen.outcome, 'accepted TLS');
    assert.deepEqual(seen.results, ['example.net sts other.example certificate-host-mismatch']);
  });
});

test('a domain with a policy does not share connections with domains without a policy', async () => {
  await using mx = await startSmtpServer({ tls: testCertificate });
  const zone = {
    ...zoneOf('mx.example'),
    'one.example': { MX: ['10 mx.example'] },
    'two.example': { MX: ['10 mx.example'] },
  };
  await using direct = await directTo(mx.port, zone, {
    ca: TRUSTED,
    stsPolicies: {
      find: async (domain) =>
        domain === 'one.example' ? { mode: 'enforce', mx: ['mx.example'], maxAgeSeconds: 86_400 } : null,
    },
  });
  for (const rcptTo of ['a@example.net', 'a@one.example', 'a@two.example'])
    assert.match(describeOutcome(await direct.send(outboundMessage({ rcptTo }))), /^accepted TLS/);
  assert.equal(mx.connections, 2);
});

test('a session that ends before STARTTLS has no TLS result', async () => {
  const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'connect' ? '554 no' : undefined);
  assert.deepEqual((await sendOne({ tls: testCertificate, reply }, enforce)).results, []);
});

test('a server that requires a login rejects the message permanently', async () => {
  const reply: SmtpServerOptions['reply'] = (stage) =>
    stage === 'mail' ? '530 5.7.1 Client was not authenticated' : undefined;
  assert.equal((await sendOne({ tls: testCertificate, reply }, null)).outcome, 'permanent TLS');
});
