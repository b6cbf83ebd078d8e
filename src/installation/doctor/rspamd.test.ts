import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { checksOf } from './checks.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkRspamd } from './rspamd.ts';
import { worldWith } from './world.fixture.ts';

const WORLD = worldWith('127.0.0.1:1');

async function found(score: number) {
  const server = createServer((_, response) => response.end(JSON.stringify({ score })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const finding = await checkRspamd(WORLD, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  return finding;
}

test('the check of rspamd is ok if rspamd responds, and a warning if an ordinary message counts as spam', async () => {
  assertFinding(await found(0.5), 'ok', /score of 0\.5/);
  assertFinding(await found(7), 'warning', /score of 7/, /DNS/);
  assertFinding(await checkRspamd(WORLD, 'http://127.0.0.1:1'), 'problem', /does not answer/, /11333/);
});

test('rspamd is checked only if POSTHORN_RSPAMD_URL is set', () => {
  const names = (env: Record<string, string>) =>
    checksOf(worldWith('127.0.0.1:1', { env })).map(({ name }) => name);
  assert.ok(names({ POSTHORN_RSPAMD_URL: 'http://localhost:11333' }).includes('rspamd'));
  assert.ok(!names({}).includes('rspamd'));
});
