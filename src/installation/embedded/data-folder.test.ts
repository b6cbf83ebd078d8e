import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { type FolderHolder, lockForServer, openDataFolder, readHolder, tryLock } from './data-folder.ts';
import { StartupError } from '../../model/startup-error.ts';

const MODULE = new URL('./data-folder.ts', import.meta.url).href;

/** Starts another process that takes the lock, and resolves when the process holds the lock. */
async function otherHolder(folder: string, as: FolderHolder) {
  const program = `
    import { tryLock } from '${MODULE}';
    globalThis.lock = tryLock(${JSON.stringify(folder)}, '${as}');
    console.log('locked');
    setInterval(() => {}, 60_000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  return other;
}

suite('the data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-folder-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('the data folder is created with its parents, and has the same real path through any link', () => {
    const created = openDataFolder(join(folder, 'a/b'));
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    assert.equal(openDataFolder(join(folder, 'link/../link/b')), created);
  });

  test('opening the data folder throws an error with advice if the folder cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => openDataFolder(join(folder, 'file/data')),
      (error) => error instanceof StartupError && /POSTHORN_DATA/.test(error.message),
    );
  });

  test('opening the data folder throws an error if the system rejects the folder without a reason', {
    skip: process.platform !== 'linux',
  }, () => {
    assert.throws(() => openDataFolder('/proc/nope/data'), StartupError);
  });

  test('opening the data folder throws an error with advice if the folder belongs to another user', {
    skip: process.geteuid?.() !== 0,
  }, () => {
    const program = `
      import { openDataFolder } from '${MODULE}';
      process.setuid(65_534);
      openDataFolder(${JSON.stringify(folder)});`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.match(stderr, /StartupError: .*permission denied.* Start Posthorn as the owner of the folder/);
  });

  test('the data folder can be locked only once', () => {
    using first = tryLock(folder, 'server');
    assert.notEqual(first, null);
    assert.equal(tryLock(folder, 'server'), null);
    assert.deepEqual(readHolder(folder), { pid: process.pid, as: 'server' });
  });

  test('a second server on the data folder is rejected, and the error names the running server', async () => {
    const other = await otherHolder(folder, 'server');
    await assert.rejects(lockForServer(folder), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, new RegExp(`process ${other.pid}\\) is using the data folder ${folder}`));
      return true;
    });
    other.kill();
  });

  test('the data folder is unlocked as soon as the process that holds the lock is killed', async () => {
    const other = await otherHolder(folder, 'server');
    other.kill('SIGKILL');
    await once(other, 'exit');
    using lock = tryLock(folder, 'server');
    assert.notEqual(lock, null);
  });

  test('a server waits until a command has released the data folder', async () => {
    const other = await otherHolder(folder, 'command');
    const waiting = lockForServer(folder);
    other.kill();
    using lock = await waiting;
    assert.deepEqual(readHolder(folder), { pid: process.pid, as: 'server' });
    assert.notEqual(lock, null);
  });
});
