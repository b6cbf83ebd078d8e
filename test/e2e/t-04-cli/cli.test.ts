import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { posthornProcess } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-cli-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const run = (...args: string[]) => posthornProcess({ POSTHORN_DATA: dataDir }, ...args);

test('the CLI creates a project and a key while the server is stopped, and the key works once the server runs', async () => {
  assert.equal((await run('project', 'create', '--name', 'shop')).code, 0);
  const made = await run(
    'key',
    'create',
    '--project',
    'shop',
    '--name',
    'ci',
    '--scopes',
    'emails:read',
    '--json',
  );
  const { id, token, scopes } = JSON.parse(made.stdout) as { id: string; token: string; scopes: string[] };
  assert.match(id, /^key_/);
  assert.deepEqual(scopes, ['emails:read']);

  await using service = await startService({ dataDir });
  assert.equal((await service.client(token).get('/v1/emails')).status, 200);
  // The first start of the server still creates the default project and its key.
  assert.equal((await service.client().get('/v1/emails')).status, 200);

  const full = await run('key', 'create', '--project', 'default', '--name', 'beside', '--json');
  assert.equal((JSON.parse(full.stdout) as { scopes: null }).scopes, null);
});

test('key create rejects an unknown scope and lists the valid scopes', async () => {
  const { code, stderr } = await run(
    'key',
    'create',
    '--project',
    'default',
    '--name',
    'x',
    '--scopes',
    'emails:sned',
  );
  assert.equal(code, 1);
  assert.match(stderr, /"emails:sned" is not a scope; the scopes are emails:send, /);
});

test('the command config prints variables with their defaults', async () => {
  const { stdout } = await run('config');
  assert.match(stdout, /POSTHORN_HTTP_PORT\n {4}default: 8025\n/);
});
