import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientAddress, clientNetwork, widerNetwork } from './client-network.ts';

for (const [ip, network] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:0:1::1', '2001:db8:0:1'],
  ['2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:3:4:5:7', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
  ['not an address', 'unknown'],
  ['::ffff:999.1.1.1', 'unknown'],
  ['', 'unknown'],
] as const) {
  test(`client ${ip || '(empty)'} counts as ${network}`, () => assert.equal(clientNetwork(ip), network));
}

test('all addresses of a /64 count as one client', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 0, max: 0xffff }), (ip, last) => {
      const network = clientNetwork(ip);
      if (!network.includes('.'))
        assert.equal(clientNetwork(`${network}:0:0:0:${last.toString(16)}`), network);
    }),
  );
});

for (const [ip, address] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:999.1.1.1', null],
  ['unknown', null],
  ['', null],
] as const) {
  test(`${ip || '(empty)'} is normalized to ${address}`, () => assert.equal(clientAddress(ip), address));
}

for (const [ip, network] of [
  ['192.0.2.7', '192.0.2'],
  ['::ffff:192.0.2.7', '192.0.2'],
  ['2001:db8:1:2::1', '2001:db8:1'],
  ['::1', '0:0:0'],
  ['unknown', 'unknown'],
] as const) {
  test(`${ip} belongs to the wider network ${network}`, () => assert.equal(widerNetwork(ip), network));
}
