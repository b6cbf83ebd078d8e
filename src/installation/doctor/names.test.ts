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
      'of this machine is good',
      {},
      {},
      'ok',
      /mx\.example has the address 8\.8\.4\.4, which this machine has/,
    ],
    ['behind NAT is believed, and that is said', {}, PRIVATE, 'ok', /cannot be told/],
    [
      'without a dot is none',
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
      'may have a private one in development, and it is said',
      { [HOSTNAME]: { A: ['127.0.0.1'] } },
      IN_DEVELOPMENT,
      'warning',
      /not public/,
      /Publish/,
    ],
    [
      'needs the address that this machine has',
      { [HOSTNAME]: { A: ['8.8.8.8'] } },
      {},
      'problem',
      /machine has the public address 8\.8\.4\.4, and mx\.example has 8\.8\.8\.8/,
      /fails SPF/,
    ],
    [
      'needs the IPv6 address that mail leaves from',
      {},
      WITH_IPV6,
      'problem',
      /2a00:1::1/,
      /Publish an AAAA record/,
    ],
    [
      'with an AAAA record for it is good',
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
      'should be no alias',
      { [HOSTNAME]: { CNAME: ['host-4.rented.example'] }, 'host-4.rented.example': { A: [ADDRESS] } },
      {},
      'warning',
      /mx\.example is an alias/,
      /in place of the CNAME/,
    ],
  ]);
});

describe('the PTR record', () => {
  table(checkReverseName, [
    ['that names the machine is good', {}, {}, 'ok', /names mx\.example/],
    [
      'has to be there',
      { [REVERSE]: {} },
      {},
      'problem',
      /has no PTR record/,
      /Set the PTR record of 8\.8\.4\.4 to mx\.example/,
    ],
    [
      'has to lead back',
      { [REVERSE]: { PTR: ['host-4.rented.example'] }, 'host-4.rented.example': { A: ['8.8.8.8'] } },
      {},
      'problem',
      /names host-4\.rented\.example, which does not lead back/,
      /Set the PTR record/,
    ],
    [
      'that leads back under another name is not the best',
      { [REVERSE]: { PTR: ['host-4.rented.example'] }, 'host-4.rented.example': { A: [ADDRESS] } },
      {},
      'warning',
      /names host-4\.rented\.example, and not mx\.example/,
      /Set the PTR record/,
    ],
    [
      'that cannot be looked up is said to be so',
      { [REVERSE]: { fault: 'refused' } },
      {},
      'warning',
      /REFUSED/,
      /again/,
    ],
    [
      'of the IPv6 address is needed too',
      { [HOSTNAME]: { A: [ADDRESS], AAAA: ['2a00:1:0:0:0:0:0:1'] } },
      {},
      'problem',
      /2a00:1::1 has no PTR record/,
      /Set the PTR record of 2a00:1::1/,
    ],
    [
      'of an IPv6 address is found',
      {
        [HOSTNAME]: { AAAA: ['2a00:1:0:0:0:0:0:1'] },
        '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.0.0.a.2.ip6.arpa': { PTR: [HOSTNAME] },
      },
      {},
      'ok',
      /of 2a00:1::1 names mx\.example/,
    ],
    [
      'needs a public address to belong to',
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
    ['that answers and denies is good', {}, {}, 'ok', /answers\.$/],
    [
      'has to answer',
      { [PROBE_DOMAIN]: { fault: 'silent' } },
      { dnsTimings: { tryTimeoutMs: 200, tries: 1 } },
      'problem',
      /does not answer/,
      /POSTHORN_DNS/,
    ],
    [
      'has to know the mail hosts of others',
      { [PROBE_DOMAIN]: {} },
      {},
      'problem',
      /no MX record/,
      /POSTHORN_DNS/,
    ],
    [
      'may not make names up',
      { [`*.${PROBE_DOMAIN}`]: { A: ['192.0.2.80'] } },
      {},
      'problem',
      /192\.0\.2\.80 to a name that does not exist/,
      /POSTHORN_DNS/,
    ],
    [
      'has to say that a name does not exist',
      { [`*.${PROBE_DOMAIN}`]: { TXT: ['x'] } },
      {},
      'warning',
      /does not say/,
      /POSTHORN_DNS/,
    ],
  ]);
});
