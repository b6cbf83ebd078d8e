import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { proxyProtocolOf } from './proxy-protocol.ts';

function context(value: string) {
  const lines: object[] = [];
  const logger = { warn: (fields: object) => lines.push(fields) } as never;
  return { lines, config: readConfig({ POSTHORN_PROXY_PROTOCOL: value }), logger };
}

test('each port accepts its own proxies and the proxies for all ports', () => {
  const given = context('smtp=10.0.0.0/8, smtp=192.0.2.1, imaps=2001:db8::/32, all=198.51.100.7');
  const smtp = proxyProtocolOf(given, 'smtp').networks;
  const imaps = proxyProtocolOf(given, 'imaps').networks;
  const has = (networks: typeof smtp) =>
    ['10.1.2.3', '192.0.2.1', '2001:db8::1', '198.51.100.7', '127.0.0.1'].map((ip) => networks.includes(ip));
  assert.deepEqual(has(smtp), [true, true, false, true, false]);
  assert.deepEqual(has(imaps), [false, false, true, true, false]);
});

test('many faults of the same kind are logged once', () => {
  const given = context('all=10.0.0.1');
  const { onFault } = proxyProtocolOf(given, 'imap');
  for (let n = 0; n < 100; n++) onFault('unexpected', '192.0.2.1');
  onFault('missing', '10.0.0.1');
  assert.deepEqual(given.lines, [
    { door: 'imap', fault: 'unexpected', clientAddress: '192.0.2.1', unlogged: 0 },
    { door: 'imap', fault: 'missing', clientAddress: '10.0.0.1', unlogged: 0 },
  ]);
});
