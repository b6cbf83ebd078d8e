import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { findBinaries, linkLibraries } from './binaries.ts';

const MODULE = new URL('./binaries.ts', import.meta.url).href;

const ORDINARY = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Whether an ordinary user cannot read the source, which may be in a folder that only root can read. */
const unreachable = spawnSync('test', ['-r', fileURLToPath(MODULE)], ORDINARY).status !== 0;

/** Runs `linkLibraries` as an ordinary user, who cannot write to folders of other users. */
function linkAsOrdinaryUser(native: string, dataDir: string): { found: string | null; error: string } {
  const program = `
    import { linkLibraries } from '${MODULE}';
    const [native, dataDir] = process.argv.slice(1);
    console.log(JSON.stringify(linkLibraries(native, dataDir)));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, native, dataDir],
    { ...ORDINARY, encoding: 'utf8' },
  );
  return { found: stdout === '' ? null : (JSON.parse(stdout) as string | null), error: stderr };
}

function runs(native: string, libraryPath: string | null): boolean {
  const env = libraryPath === null ? {} : { LD_LIBRARY_PATH: libraryPath };
  return ['initdb', 'postgres'].every(
    (name) => spawnSync(join(native, 'bin', name), ['--version'], { env }).status === 0,
  );
}

suite('the libraries of a package whose install script did not run', () => {
  let folder: string;
  let native: string;
  let dataDir: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-native-'));
    chmodSync(folder, 0o755);
    native = join(folder, 'native');
    const installed = dirname(dirname(findBinaries(folder).postgres));
    cpSync(installed, native, { recursive: true, filter: (path) => !path.endsWith('/share') });
    for (const entry of readdirSync(join(native, 'lib'), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) rmSync(join(native, 'lib', entry.name));
    }
    chmodSync(join(native, 'lib'), 0o555);
    dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o777);
  });
  afterEach(() => {
    chmodSync(join(native, 'lib'), 0o755);
    chmodSync(dataDir, 0o755);
    rmSync(folder, { recursive: true });
  });

  test('missing links to libraries are created in the package', () => {
    chmodSync(join(native, 'lib'), 0o755);
    assert.equal(linkLibraries(native, dataDir), null);
    assert.ok(runs(native, null));
    assert.deepEqual(readdirSync(dataDir), []);
  });

  test('missing links to libraries are created in the data folder if the package is not writable', {
    skip: unreachable,
  }, () => {
    const { found } = linkAsOrdinaryUser(native, dataDir);
    assert.ok(runs(native, found));
    assert.deepEqual(readdirSync(dataDir), ['lib']);
  });

  test('an error with advice is thrown if neither folder is writable', { skip: unreachable }, () => {
    chmodSync(dataDir, 0o555);
    const { error } = linkAsOrdinaryUser(native, dataDir);
    assert.match(error, /StartupError: .*npm rebuild with install scripts enabled/);
  });
});
