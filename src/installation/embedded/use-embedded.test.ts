import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { lockForServer, tryLock } from './data-folder.ts';
import { startEmbedded } from './embedded.ts';
import { useEmbedded } from './use-embedded.ts';

suite('useEmbedded', () => {
  let dataDir: string;
  before(async () => {
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-use-')));
    const prepared = await startEmbedded(dataDir);
    await prepared.stop('fast');
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  function isRunning(): boolean {
    return existsSync(join(dataDir, 'postgres/postmaster.pid'));
  }

  test('`useEmbedded` starts PostgreSQL if no server is running, and stops it after use', async () => {
    {
      await using used = await useEmbedded(dataDir);
      assert.match(used.url, /^postgres:/);
      assert.ok(isRunning());
      assert.equal(tryLock(dataDir, 'server'), null);
    }
    assert.equal(isRunning(), false);
    using lock = tryLock(dataDir, 'server');
    assert.notEqual(lock, null);
  });

  test('`useEmbedded` uses the PostgreSQL of a running server, and leaves it running', async () => {
    using _lock = await lockForServer(dataDir);
    const server = await startEmbedded(dataDir);
    {
      await using used = await useEmbedded(dataDir);
      assert.equal(used.url, server.url);
    }
    assert.ok(isRunning());
    await server.stop('immediate');
  });

  test('`useEmbedded` waits for a server that is starting', async () => {
    using _lock = await lockForServer(dataDir);
    const using = useEmbedded(dataDir);
    const server = await startEmbedded(dataDir);
    await using used = await using;
    assert.equal(used.url, server.url);
    await server.stop('immediate');
  });

  test('`useEmbedded` runs commands one after another', async () => {
    let atOnce = 0;
    const uses = [1, 2, 3].map(async () => {
      await using _used = await useEmbedded(dataDir);
      atOnce += 1;
      assert.equal(atOnce, 1);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
    });
    await Promise.all(uses);
  });
});
