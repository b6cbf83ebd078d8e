import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TroubledHosts } from './troubled-hosts.ts';

const GROUPS = [['a'], ['b', 'c'], ['d']];
const inTurn = (...values: number[]) => {
  let at = 0;
  return () => values[at++ % values.length] ?? 0;
};

test('hosts are tried by preference, and equally preferred hosts in random order', () => {
  const hosts = new TroubledHosts();
  assert.deepEqual(hosts.inOrder(GROUPS, inTurn(0, 0.2, 0.1, 0), 0), ['a', 'c', 'b', 'd']);
  assert.deepEqual(hosts.inOrder(GROUPS, inTurn(0, 0.1, 0.2, 0), 0), ['a', 'b', 'c', 'd']);
});

test('a host that failed is tried last for two minutes', () => {
  const hosts = new TroubledHosts();
  hosts.add('a', 1_000);
  assert.deepEqual(hosts.inOrder(GROUPS, inTurn(0.1, 0.2, 0.3, 0.4), 120_999), ['b', 'c', 'd', 'a']);
  assert.deepEqual(hosts.inOrder(GROUPS, inTurn(0.1, 0.2, 0.3, 0.4), 121_000), ['a', 'b', 'c', 'd']);
});

test('a host that has recovered is no longer tried last', () => {
  const hosts = new TroubledHosts();
  hosts.add('a', 0);
  hosts.clear('a');
  assert.equal(hosts.inOrder(GROUPS, Math.random, 1)[0], 'a');
});
