import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DnsZone, startDnsServer } from '../../../../test/support/dns-server.ts';
import { DnsResolver } from '../../../net/dns.ts';
import { findRoute, type DomainRoute } from './route.ts';

const OWN = 'posthorn.example';

async function routeTo(destination: string, zone: DnsZone): Promise<DomainRoute> {
  await using dns = await startDnsServer(zone);
  return await findRoute(destination, new DnsResolver(dns.address), OWN);
}

const mx = (...records: string[]): DnsZone => ({ 'example.net': { MX: records } });
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${at} mx${at}.example.net`);

describe('the route to a domain', () => {
  const cases: [name: string, zone: DnsZone, groups: string[][]][] = [
    ['has its MX hosts by preference', mx('20 b.example', '10 a.example'), [['a.example'], ['b.example']]],
    [
      'has hosts of equal preference in one group',
      mx('10 b.example', '10 a.example', '20 c.example'),
      [['a.example', 'b.example'], ['c.example']],
    ],
    ['is the domain itself if it has no MX', { 'example.net': { A: ['192.0.2.1'] } }, [['example.net']]],
    ['named once', mx('10 a.example', '20 a.example', '30 b.example'), [['a.example'], ['b.example']]],
    ['omits MX records with an IP address', mx('10 192.0.2.1', '20 a.example'), [['a.example']]],
    ['omits a root MX beside other records', mx('0 .', '10 a.example'), [['a.example']]],
    ['has hosts in lower case', mx('10 A.Example'), [['a.example']]],
    [
      'has at most ten hosts',
      mx(...numbered(12)),
      numbered(10).map((record) => [record.split(' ')[1] ?? '']),
    ],
    [
      'has only hosts with a better preference than this server',
      mx('10 a.example', `20 ${OWN}`, '20 b.example', '30 c.example'),
      [['a.example']],
    ],
  ];
  for (const [name, zone, groups] of cases) {
    test(name, async () => {
      assert.deepEqual(await routeTo('example.net', zone), { outcome: 'hosts', groups });
    });
  }

  for (const literal of ['[192.0.2.1]', '[ipv6:2001:db8::1]']) {
    test(`of ${literal} is the literal`, async () => {
      assert.deepEqual(await routeTo(literal, {}), { outcome: 'hosts', groups: [[literal]] });
    });
  }
});

describe('no route exists', () => {
  const cases: [name: string, destination: string, zone: DnsZone, reason: string, bestHosts?: string[]][] = [
    ['to a domain that does not exist', 'example.net', {}, 'no_such_domain'],
    ['to a domain with a null MX', 'example.net', mx('0 .'), 'no_route', []],
    ['to a domain whose MX are IP addresses', 'example.net', mx('10 192.0.2.1'), 'no_route', []],
    [
      'to a domain whose best MX host is this server',
      'example.net',
      mx(`10 ${OWN}`, '20 b.example'),
      'no_route',
      [OWN],
    ],
    [
      'to a domain whose best MX hosts are this server and another one',
      'example.net',
      mx('10 b.example', `10 ${OWN}`),
      'no_route',
      ['b.example', OWN],
    ],
    ['to this server itself', OWN, { [OWN]: { A: ['192.0.2.1'] } }, 'no_route', [OWN]],
  ];
  for (const [name, destination, zone, reason, bestHosts] of cases) {
    test(name, async () => {
      const route = await routeTo(destination, zone);
      assert.ok(route.outcome === 'unroutable');
      assert.deepEqual([route.reason, route.bestHosts?.toSorted()], [reason, bestHosts]);
    });
  }
});

test('an error of the DNS server is a failed route, not a missing route', async () => {
  const route = await routeTo('example.net', { 'example.net': { fault: 'servfail' } });
  assert.equal(route.outcome, 'failed');
});
