import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNetwork, Networks } from './networks.ts';

test('only addresses and ranges are accepted as networks', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32'])
    assert.ok(isNetwork(text), text);
  const wrong = [
    '',
    'mx.example',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '10.0.0',
  ];
  for (const text of wrong) assert.ok(!isNetwork(text), text);
});

test('an address matches only networks of its own family, and an IPv4-mapped address counts as an IPv4 address', () => {
  const networks = new Networks(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
  for (const ip of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::2', '192.0.2.7'])
    assert.ok(networks.includes(ip), ip);
  for (const ip of ['11.0.0.1', '2001:db9::1', '192.0.2.8', '::1', '', 'localhost'])
    assert.ok(!networks.includes(ip), ip);
  assert.ok(!new Networks([]).includes('10.0.0.1'));
});
