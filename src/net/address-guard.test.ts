import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { isDialable } from './address-guard.ts';

const production = { allowLoopback: false };
const development = { allowLoopback: true };

const REFUSED_IPV4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.169.254'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
].flat();

const ALLOWED_IPV4 = [
  ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  [
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
  ],
  ['192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0'],
  ['192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8', '1.1.1.1'],
].flat();

const REFUSED_IPV6 = [
  [
    '::',
    '::1',
    '::2',
    '::8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '100:0:0:1::1',
  ],
  [
    '200::1',
    '1fff:ffff::1',
    '4000::1',
    '5f00::1',
    '8000::1',
    'fc00::1',
    'fdff::1',
    'fe00::1',
    'fe80::1',
    'febf::1',
  ],
  ['fec0::1', 'feff::1', 'ff00::1', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  // Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2, drone identifiers
  ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1'],
  ['2001:20::1', '2001:30::1', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2002::1', '2002:808:808::1', '2002:7f00:1::1'],
  ['2620:4f:8000::1', '3fff::1', '3fff:fff::1'],
  // ISATAP below a public prefix, with and without the bit of a globally unique IPv4 address
  ['2a00:1450:4001:800:0:5efe:7f00:1', '2a00:1450:4001:800:200:5efe:808:808'],
].flat();

const ALLOWED_IPV6 = [
  [
    '2000::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
  ],
  [
    '2620:4f:7fff::1',
    '2620:4f:8001::1',
    '2a00:1450:4001:800::200e',
    '3ffe::1',
    '3fff:1000::1',
    '::ffff:8.8.8.8',
  ],
].flat();

test('special IPv4 and IPv6 addresses are never dialed in production', () => {
  for (const ip of [...REFUSED_IPV4, ...REFUSED_IPV6]) assert.equal(isDialable(ip, production), false, ip);
});

test('public addresses, up to the edges of the special ranges, are dialed', () => {
  for (const ip of [...ALLOWED_IPV4, ...ALLOWED_IPV6]) assert.equal(isDialable(ip, production), true, ip);
});

test('in development, 127.0.0.0/8 and ::1 are dialed too, but no other special address', () => {
  for (const ip of [...REFUSED_IPV4, ...REFUSED_IPV6]) {
    assert.equal(isDialable(ip, development), ip.startsWith('127.') || ip === '::1', ip);
  }
  for (const ip of [...ALLOWED_IPV4, ...ALLOWED_IPV6]) assert.equal(isDialable(ip, development), true, ip);
});

test('an IPv4-mapped address gets the verdict of its IPv4 address, except that loopback is always rejected', () => {
  for (const ip of REFUSED_IPV4) assert.equal(isDialable(`::ffff:${ip}`, development), false, ip);
  for (const ip of ALLOWED_IPV4) assert.equal(isDialable(`::ffff:${ip}`, production), true, ip);
});

test('a text that is not a plain address is rejected: names, octal, hexadecimal and short forms, zones, brackets, ports', () => {
  const others = ['', 'localhost', '0177.0.0.1', '0x7f.0.0.1', '127.1', '2130706433', '8.8.8.8.', ' 8.8.8.8'];
  const zones = ['::1%lo', 'fe80::1%eth0', '2001:4860:4860::8888%1'];
  for (const ip of [...others, ...zones, '[::1]', '8.8.8.8:80', '8.8.8.8/32']) {
    assert.equal(isDialable(ip, development), false, ip);
  }
});

test('every notation of an IPv6 address gets the same verdict', () => {
  for (const ip of [...REFUSED_IPV6, ...ALLOWED_IPV6].filter((ip) => isIPv6(ip) && !ip.includes('.'))) {
    const [head = '', tail] = ip.toUpperCase().split('::');
    const front = head === '' ? [] : head.split(':');
    const back = tail === undefined || tail === '' ? [] : tail.split(':');
    const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
    const long = [...front, ...zeros, ...back].map((group) => group.padStart(4, '0')).join(':');
    assert.equal(isDialable(long, production), isDialable(ip, production), long);
  }
});

test("every address gets the same verdict as from Node's BlockList", () => {
  const refused = new BlockList();
  for (let at = 0; at < REFUSED_IPV4.length; at += 2) {
    const last = REFUSED_IPV4[at + 1] ?? '';
    refused.addRange(REFUSED_IPV4[at] ?? '', last === '169.254.169.254' ? '169.254.255.255' : last);
  }
  const global = new BlockList();
  global.addSubnet('2000::', 3, 'ipv6');
  global.addSubnet('::ffff:0:0', 96, 'ipv6');
  const ranges = [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['2620:4f:8000::', 48],
    ['3fff::', 20],
  ] as const;
  for (const [start, bits] of ranges) refused.addSubnet(start, bits, 'ipv6');
  const near = fc.constantFrom(
    '2001:',
    '2001:db8:',
    '2002:',
    '2620:4f:8000:',
    '3fff:',
    '::ffff:',
    '::',
    '64:ff9b::',
  );
  const ipv6 = fc.oneof(
    fc.ipV6(),
    fc
      .tuple(near, fc.ipV4(), fc.nat(0xffff))
      .map(([start, ip, group]) =>
        start.includes('::') ? start + ip : `${start}${group.toString(16)}::${ip}`,
      ),
  );
  fc.assert(
    fc.property(fc.ipV4(), (ip) => assert.equal(isDialable(ip, production), !refused.check(ip, 'ipv4'))),
    { numRuns: runs(2_000) },
  );
  fc.assert(
    fc.property(ipv6.filter(isIPv6), (ip) => {
      fc.pre(!/5efe/i.test(ip));
      const expected = global.check(ip, 'ipv6') && !refused.check(ip, 'ipv6');
      assert.equal(isDialable(ip, production), expected, ip);
    }),
    { numRuns: runs(2_000) },
  );
});

test('any text is checked without throwing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
      assert.equal(typeof isDialable(text, development), 'boolean');
    }),
  );
});

const corpora = process.env['POSTHORN_CORPORA'];
test('the destinations in the folder POSTHORN_CORPORA get the expected verdicts', {
  skip: corpora === undefined,
}, () => {
  const file = readFileSync(join(corpora ?? '', 'destinations.json'), 'utf8');
  const destinations = JSON.parse(file) as { kind: string; input: string; want: 'allow' | 'block' }[];
  const wrong = destinations.filter(
    ({ input, want }) => isDialable(input, production) !== (want === 'allow'),
  );
  assert.deepEqual(wrong, []);
});
