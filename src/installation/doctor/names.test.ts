import { describe, test } from 'node:test';
import { type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { checkHostname, checkResolver, checkReverseName } from './names.ts';
import type { Finding, FindingLevel } from './finding.ts';
import { assertFinding } from './finding.fixture.ts';
import type { World } from './world.ts';
import { ADDRESS, goodZone, HOSTNAME, PROBE_DOMAIN, worldWith } from './world.fixture.ts';

type Case = [
  name: string,
  zone: DnsZone,
  given: Parameters<typeof worldWith>[1],
  verdict: FindingLevel,
  seen: RegExp,
  advice?: RegExp,
];

function table(check: (world: World) => Promise<Finding>, cases: readonly Case[]): void {
  for (const [name, zone, given, verdict, seen, advice] of cases) {
    test(name, async () => {
      await using dns = await startDnsServer({ ...goodZone(), ...zone });
      assertFinding(await check(worldWith(dns.address, given)), verdict, seen, advice);
    });
  }
}

const REVERSE = '4.4.8.8.in-addr.arpa';
const PRIVATE = { ownAddresses: () => ['127.0.0.1', '10.0.0.5'] };
const IN_DEVELOPMENT = { env: { POSTHORN_ENV: 'development' } };
const WITH_IPV6 = { ownAddresses: () => [ADDRESS, '2a00:1::1'] };

describe('the host name', () => {
  table(checkHostname, [
    [
      'is ok if it has the address of this machine',
      {},
      {},
      'ok',
      /mx\.example has the address 8\.8\.4\.4, which this machine has/,
    ],
    ['is ok behind NAT, where the address cannot be verified', {}, PRIVATE, 'ok', /is unknown/],
    [
      'is a problem without a dot',
      {},
      { env: { POSTHORN_HOSTNAME: 'laptop' } },
      'problem',
      /laptop, which has no dot/,
      /Set POSTHORN_HOSTNAME/,
    ],
    [
      'needs an address',
      { [HOSTNAME]: {} },
      {},
      'problem',
      /no address in DNS/,
      /Publish an A record for mx\.example/,
    ],
    [
      'needs DNS that answers',
      { [HOSTNAME]: { fault: 'servfail' } },
      {},
      'problem',
      /cannot be looked up/,
      /resolver/,
    ],
    [
      'needs a public address',
      { [HOSTNAME]: { A: ['10.0.0.5'] } },
      PRIVATE,
      'problem',
      /10\.0\.0\.5, which is not public/,
      /public address of this machine/,
    ],
    [
      'is a warning with a private address in development',
      { [HOSTNAME]: { A: ['127.0.0.1'] } },
      IN_DEVELOPMENT,
      'warning',
      /not public/,
      /Publish/,
    ],
    [
      'needs the address of this machine',
      { [HOSTNAME]: { A: ['8.8.8.8'] } },
      {},
      'problem',
      /machine has the public address 8\.8\.4\.4, but the address of mx\.example is 8\.8\.8\.8\. .* fails SPF/,
      /Publish an A record/,
    ],
    [
      'needs the IPv6 address of this machine',
      {},
      WITH_IPV6,
      'problem',
      /2a00:1::1/,
      /Publish an AAAA record/,
    ],
    [
      'is ok with an AAAA record for the IPv6 address',
      { [HOSTNAME]: { A: [ADDRESS], AAAA: ['2a00:1:0:0:0:0:0:1'] } },
      WITH_IPV6,
      'ok',
      /2a00:1::1/,
    ],
  ]);
});

describe('the host name', () => {
  table(checkHostname, [
    [
      'should not be an alias',
      { [HOSTNAME]: { CNAME: ['host-4.rented.example'] }, 'host-4.rented.example': { A: [ADDRESS] } },
      {},
      'warning',
      /mx\.example is an alias/,
      /instead of the CNAME/,
    ],
  ]);
});

describe('the PTR record', () => {
  table(checkReverseName, [
    ['is ok if it names the machine', {}, {}, 'ok', /names mx\.example/],
    [
      'is a problem if it is missing',
      { [REVERSE]: {} },
      {},
      'problem',
      /has no PTR record/,
      /Set the PTR record of 8\.8\.4\.4 to mx\.example/,
    ],
    [
      'is a problem if its name does not resolve to the address',
      { [REVERSE]: { PTR: ['host-4.rented.example'] }, 'host-4.rented.example': { A: ['8.8.8.8'] } },
      {},
      'problem',
      /names host-4\.rented\.example, which does not resolve to that address/,
      /Set the PTR record/,
    ],
    [
      'is a warning if another name resolves to the address',
      { [REVERSE]: { PTR: ['host-4.rented.example'] }, 'host-4.rented.example': { A: [ADDRESS] } },
      {},
      'warning',
      /names host-4\.rented\.example, not mx\.example/,
      /Set the PTR record/,
    ],
    [
      'is a warning if it cannot be looked up',
      { [REVERSE]: { fault: 'refused' } },
      {},
      'warning',
      /REFUSED/,
      /again/,
    ],
    [
      'is needed for the IPv6 address too',
      { [HOSTNAME]: { A: [ADDRESS], AAAA: ['2a00:1:0:0:0:0:0:1'] } },
      {},
      'problem',
      /2a00:1::1 has no PTR record/,
      /Set the PTR record of 2a00:1::1/,
    ],
    [
      'is found for an IPv6 address',
      {
        [HOSTNAME]: { AAAA: ['2a00:1:0:0:0:0:0:1'] },
        '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.0.0.a.2.ip6.arpa': { PTR: [HOSTNAME] },
      },
      {},
      'ok',
      /of 2a00:1::1 names mx\.example/,
    ],
    [
      'is a problem if the name has no public address',
      { [HOSTNAME]: {} },
      {},
      'problem',
      /no public address/,
      /the check "hostname"/,
    ],
  ]);
});

describe('the resolver', () => {
  table(checkResolver, [
    ['is ok if it answers, and denies a made-up name', {}, {}, 'ok', /answers\.$/],
    [
      'must answer',
      { [PROBE_DOMAIN]: { fault: 'silent' } },
      { dnsTimings: { tryTimeoutMs: 200, tries: 1 } },
      'problem',
      /does not answer/,
      /POSTHORN_DNS/,
    ],
    [
      'must find the mail hosts of other domains',
      { [PROBE_DOMAIN]: {} },
      {},
      'problem',
      /no MX record/,
      /POSTHORN_DNS/,
    ],
    [
      'must not return addresses for names that do not exist',
      { [`*.${PROBE_DOMAIN}`]: { A: ['192.0.2.80'] } },
      {},
      'problem',
      /192\.0\.2\.80 for a name that does not exist/,
      /POSTHORN_DNS/,
    ],
    [
      'must report that a name does not exist',
      { [`*.${PROBE_DOMAIN}`]: { TXT: ['x'] } },
      {},
      'warning',
      /does not report/,
      /POSTHORN_DNS/,
    ],
  ]);
});
