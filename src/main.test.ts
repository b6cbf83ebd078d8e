/** Starts Posthorn with a version of Node other than the one that the packages install. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Versions of Node on the PATH of this machine that cannot run TypeScript. */
function oldNodes(): string[] {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return paths.filter((path) => {
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return status === 0 && Number.parseInt(stdout.slice(1), 10) < 24;
  });
}

test('an old version of Node prints one line that says what to do', () => {
  for (const path of oldNodes()) {
    const { npm_lifecycle_event: _, ...env } = process.env;
    const start = (added = {}) =>
      spawnSync(path, ['src/main.ts'], { cwd: ROOT, encoding: 'utf8', env: { ...env, ...added } });
    const { status, stdout, stderr } = start();
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /^Posthorn needs Node 24, but this is v[\d.]+\. Use npm start, .*\.\n$/);
    // `npm start` prefers the Node that the packages install. If it runs an old version all the same, that Node is not installed, so the
    // advice is `npm ci`.
    assert.match(start({ npm_lifecycle_event: 'start' }).stderr, /^Posthorn needs Node 24.* npm ci.*\.\n$/);
  }
});

test('package-lock.json has no Node requirements of packages, which npm would check against its own Node version', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const named = Object.entries(packages).filter(
    ([folder, { engines }]) => folder.startsWith('node_modules/') && engines?.node !== undefined,
  );
  assert.deepEqual(
    named.map(([folder]) => folder),
    [],
    'npm ci warns about each of these: run node deploy/forget-engines.ts',
  );
});
