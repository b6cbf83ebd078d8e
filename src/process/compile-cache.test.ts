import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { posthornProcess } from '../../test/support/cli.ts';
import { compileCache } from './compile-cache.ts';

suite('compileCache', () => {
  const { NODE_COMPILE_CACHE } = process.env;
  let dataDir: string;
  let program: string;
  beforeEach(() => {
    delete process.env.NODE_COMPILE_CACHE;
    dataDir = mkdtempSync(join(tmpdir(), 'posthorn-compile-'));
    program = join(dataDir, 'program.ts');
    writeFileSync(
      program,
      `import { appendFileSync } from 'node:fs'; appendFileSync('${dataDir}/runs', 'x' as string);`,
    );
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
    if (NODE_COMPILE_CACHE !== undefined) process.env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE;
  });

  function runs(): number {
    return existsSync(join(dataDir, 'runs')) ? readFileSync(join(dataDir, 'runs')).length : 0;
  }

  test('fills the cache once', async () => {
    const folder = join(dataDir, 'cache');
    assert.deepEqual(await compileCache(dataDir, [program]), { NODE_COMPILE_CACHE: folder });
    assert.deepEqual(await compileCache(dataDir, [program]), { NODE_COMPILE_CACHE: folder });
    assert.equal(runs(), 1);
  });

  test('does not use a folder to which other users can write', async () => {
    mkdirSync(join(dataDir, 'cache'));
    chmodSync(join(dataDir, 'cache'), 0o777);
    assert.deepEqual(await compileCache(dataDir, [program]), {});
    assert.equal(runs(), 0);
  });

  test('returns no variables if the folder cannot be created', async () => {
    assert.deepEqual(await compileCache(program, [program]), {});
    assert.deepEqual(await compileCache('/proc/nope', [program]), {});
  });

  test('shares the cache with the command line, unless other users can write to the folder', async () => {
    const folder = join(dataDir, 'cache');
    mkdirSync(folder);
    for (const [mode, isUsed] of [
      [0o777, false],
      [0o700, true],
    ] as const) {
      chmodSync(folder, mode);
      assert.equal((await posthornProcess({ POSTHORN_DATA: dataDir }, '--version')).code, 0);
      assert.equal(readdirSync(folder).length > 0, isUsed);
    }
  });

  test('leaves a cache that the environment sets unchanged', async () => {
    process.env.NODE_COMPILE_CACHE = join(dataDir, 'other');
    assert.deepEqual(await compileCache(dataDir, [program]), {});
    delete process.env.NODE_COMPILE_CACHE;
  });
});
