import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DnsServer, type DnsZone, startDnsServer } from '../../../../test/support/dns-server.ts';
import { DnsResolver } from '../../../net/dns.ts';
import { HostAddressBook, type HostAddressBookOptions, type HostAddresses } from './host-addresses.ts';

const IPV4 = ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4', '8.8.8.5'];
const IPV6 = ['2600::1', '2600::2'];
const HOST = 'mx.example';

type Options = Partial<HostAddressBookOptions>;

function bookOf(dns: DnsServer, options: Options): HostAddressBook {
  const resolver = new DnsResolver(dns.address);
  return new HostAddressBook({ resolver, allowPrivate: false, hasIpv6: () => true, ...options });
}

async function lookUp(zone: DnsZone, options: Options = {}, host = HOST): Promise<HostAddresses> {
  await using dns = await startDnsServer(zone);
  return await bookOf(dns, options).of(host);
}

const cases: [name: string, zone: DnsZone, options: Options, expected: string[] | 'none' | 'failed'][] = [
  [
    'IPv4 and IPv6 take turns',
    { [HOST]: { A: IPV4, AAAA: IPV6 } },
    {},
    ['8.8.8.1', '2600::1', '8.8.8.2', '2600::2'],
  ],
  ['at most four are used', { [HOST]: { A: IPV4 } }, {}, IPV4.slice(0, 4)],
  ['a host with only IPv6 addresses is reached over IPv6', { [HOST]: { AAAA: IPV6 } }, {}, IPV6],
  [
    'without IPv6 here IPv4 is used',
    { [HOST]: { A: IPV4.slice(0, 1), AAAA: IPV6 } },
    { hasIpv6: () => false },
    ['8.8.8.1'],
  ],
  [
    'without IPv6 here a host with only IPv6 addresses is tried all the same',
    { [HOST]: { AAAA: IPV6 } },
    { hasIpv6: () => false },
    IPV6,
  ],
  [
    'an alias is followed',
    { [HOST]: { CNAME: ['real.example'] }, 'real.example': { A: ['8.8.8.1'] } },
    {},
    ['8.8.8.1'],
  ],
  [
    'addresses that are not public are omitted',
    { [HOST]: { A: ['10.0.0.1', '127.0.0.1', '8.8.8.1'] } },
    {},
    ['8.8.8.1'],
  ],
  ['a host with only private addresses has none', { [HOST]: { A: ['192.168.1.1'] } }, {}, 'none'],
  ['loopback addresses are omitted in production', { [HOST]: { A: ['127.0.0.1'] } }, {}, 'none'],
  [
    'private IPv4 addresses are used in development, those of other special ranges never',
    { [HOST]: { A: ['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'] } },
    { allowPrivate: true },
    ['10.0.0.1', '172.16.0.1', '192.168.1.1'],
  ],
  [
    'private IPv6 addresses are used in development, link-local ones never',
    { [HOST]: { AAAA: ['fd00::1', 'fe80::1'] } },
    { allowPrivate: true },
    ['fd00::1'],
  ],
  [
    'loopback addresses are used in development',
    { [HOST]: { A: ['127.0.0.1'] } },
    { allowPrivate: true },
    ['127.0.0.1'],
  ],
  ['a host that does not exist has none', {}, {}, 'none'],
  [
    'an error of the DNS server is a failure, not an empty result',
    { [HOST]: { fault: 'servfail' } },
    {},
    'failed',
  ],
];
for (const [name, zone, options, expected] of cases) {
  test(name, async () => {
    const found = await lookUp(zone, options);
    assert.deepEqual(found.outcome === 'found' ? found.addresses : found.outcome, expected);
  });
}

for (const [literal, address] of [
  ['[8.8.8.8]', '8.8.8.8'],
  ['[ipv6:2600::1]', '2600::1'],
] as const) {
  test(`the address literal ${literal} has the address ${address}`, async () => {
    assert.deepEqual(await lookUp({}, {}, literal), { outcome: 'found', addresses: [address] });
  });
}

test('an address literal that is not public has no usable address', async () => {
  assert.equal((await lookUp({}, {}, '[127.0.0.1]')).outcome, 'none');
});

test('an address in DNS is cached, and a missing address is queried again', async () => {
  await using dns = await startDnsServer({});
  const book = bookOf(dns, {});
  assert.equal((await book.of(HOST)).outcome, 'none');
  dns.zone[HOST] = { A: ['8.8.8.1'] };
  assert.equal((await book.of(HOST)).outcome, 'found');
  dns.zone = {};
  assert.equal((await book.of(HOST)).outcome, 'found');
});
