import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { nameInCache, sourceFiles } from './source-cache.js';

const QUICK_START = new URL('quick-start.js', import.meta.url).href;
/** A source with types, whose import prints whether Node loaded its compiler. */
const SOURCE = join(import.meta.dirname, 'model/ids.ts');
const PRINT_COMPILER = `
  await import('./model/ids.ts');
  console.log(process.moduleLoadList.some((name) => name.includes('internal/deps/amaro')));`;

/** Runs a program in `src` with the data folder. */
function run(dataDir: string, program: string, env: NodeJS.ProcessEnv = {}): string {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const args = ['--import', QUICK_START, '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...inherited, POSTHORN_DATA: dataDir, ...env },
  }).trim();
}

function fill(dataDir: string, env?: NodeJS.ProcessEnv): void {
  run(dataDir, `await (await import('./source-cache.js')).fillSourceCache();`, env);
}

function loadsCompiler(dataDir: string): boolean {
  return run(dataDir, PRINT_COMPILER) === 'true';
}

suite('a full cache of stripped sources', () => {
  let dataDir: string;
  let cache: string;
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'posthorn-sources-'));
    cache = join(dataDir, 'cache');
    fill(dataDir);
  });
  after(() => rmSync(dataDir, { recursive: true }));

  const cached = (path: string) => join(cache, nameInCache(readFileSync(path)));

  test('contains every source, so that no process loads the compiler', () => {
    assert.deepEqual(
      sourceFiles().filter((path) => !existsSync(cached(path))),
      [],
    );
    assert.equal(loadsCompiler(dataDir), false);
  });

  test('is filled once, and filled again after a change, without unused files', () => {
    const { mtimeMs } = statSync(cached(SOURCE));
    const [marker = ''] = readdirSync(cache).filter((name) => name.startsWith('full-'));
    writeFileSync(join(cache, 'unused'), '');
    fill(dataDir);
    assert.ok(existsSync(join(cache, 'unused')));
    rmSync(join(cache, marker));
    const another = join(import.meta.dirname, 'model/app-error.ts');
    rmSync(cached(another));
    fill(dataDir);
    assert.ok(existsSync(join(cache, marker)));
    assert.ok(existsSync(cached(another)));
    assert.ok(!existsSync(join(cache, 'unused')));
    assert.equal(statSync(cached(SOURCE)).mtimeMs, mtimeMs);
  });

  test('is not used if other users can write to its folder', () => {
    chmodSync(cache, 0o777);
    assert.equal(loadsCompiler(dataDir), true);
    chmodSync(cache, 0o700);
    assert.equal(loadsCompiler(dataDir), false);
  });

  test('is not used for a file that a power failure has cut off', () => {
    truncateSync(cached(SOURCE), 100);
    assert.equal(loadsCompiler(dataDir), true);
  });
});

suite('an empty cache of stripped sources', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'posthorn-sources-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('is not filled if other users can write to its folder', () => {
    mkdirSync(join(dataDir, 'cache'));
    chmodSync(join(dataDir, 'cache'), 0o777);
    fill(dataDir);
    assert.deepEqual(readdirSync(join(dataDir, 'cache')), []);
  });

  test('is not filled if Node has a compile cache, or if the service cannot start with its configuration', () => {
    fill(dataDir, { NODE_COMPILE_CACHE: join(tmpdir(), 'posthorn-compiled') });
    fill(dataDir, { POSTHORN_HTTP_PORT: 'none' });
    fill(dataDir, { POSTHORN_ENV: 'production' });
    assert.deepEqual(readdirSync(dataDir), []);
  });

  test('is no error if it cannot be filled', () => {
    writeFileSync(join(dataDir, 'cache'), '');
    fill(dataDir);
    assert.equal(loadsCompiler(dataDir), true);
  });
});
