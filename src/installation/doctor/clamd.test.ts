import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeClamd } from '../../file-links/scan/clamd.fixture.ts';
import { checksOf } from './checks.ts';
import { checkClamd } from './clamd.ts';
import { assertFinding } from './finding.fixture.ts';
import { worldWith } from './world.fixture.ts';

const WORLD = worldWith('127.0.0.1:1');

test('the check of ClamAV is ok if ClamAV responds, and otherwise a problem with advice', async () => {
  {
    await using clamd = await startFakeClamd();
    assertFinding(await checkClamd(WORLD, clamd.address), 'ok', /ClamAV 1\.4\.3/);
  }
  assertFinding(
    await checkClamd(WORLD, { path: '/nowhere/clamd.ctl' }),
    'problem',
    /ENOENT/,
    /clamav-daemon/,
  );
});

test('ClamAV is checked only if POSTHORN_CLAMD is set', () => {
  const names = (env: Record<string, string>) =>
    checksOf(worldWith('127.0.0.1:1', { env })).map(({ name }) => name);
  assert.ok(names({ POSTHORN_CLAMD: 'localhost:3310' }).includes('clamd'));
  assert.ok(!names({}).includes('clamd'));
});
