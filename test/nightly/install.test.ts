/** The release as an operator installs it, and the analysis of its unit by systemd. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pathOfMachine, sendAsPrinted } from '../support/first-start.ts';
import { FREE_PORTS } from '../support/free-ports.ts';
import { account, hookLimit, peerFolder, requireProgram, run, withPeers } from '../peers/peers.ts';

const RELEASE = fileURLToPath(new URL('../../deploy/release.ts', import.meta.url));
/** How many of 100 points of exposure the service may get. `systemd-analyze security` rates a service with fewer than 50 as OK. */
const MOST_EXPOSED = '20';

suite('a release', withPeers, () => {
  const stack = new DisposableStack();
  let folder: string;
  let installed: string;

  before(async () => {
    folder = stack.use(peerFolder('release')).path;
    // The release script also builds the pages.
    await run(process.execPath, [RELEASE, folder], hookLimit);
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'));
    await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
    await run('tar', ['-xzf', archive, '--no-same-owner'], { cwd: folder });
    installed = join(folder, archive.replace('.tar.gz', ''));
    await run('npm', ['ci', '--omit=dev', '--prefer-offline'], {
      cwd: installed,
      timeout: hookLimit.timeout,
    });
    // npm 9 and 10 remove this link when they remove the package for the other processor. Remove the link with any npm, so that the test
    // covers this case.
    rmSync(join(installed, 'node_modules/.bin/node'));
  }, hookLimit);
  after(() => stack.dispose());

  test('a release built again has the same bytes', async () => {
    const again = join(folder, 'again');
    await run(process.execPath, [RELEASE, again], hookLimit);
    const names = readdirSync(again);
    assert.equal(names.length, 5);
    for (const name of names)
      assert.ok(readFileSync(join(again, name)).equals(readFileSync(join(folder, name))));
  });

  test('an ordinary user without write access to the release can run it, send an email and stop it', async () => {
    const unprivileged = account('nobody');
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, unprivileged.uid, unprivileged.gid);
    const service = spawn('npm', ['start'], {
      ...unprivileged,
      cwd: installed,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: pathOfMachine(),
        HOME: dataDir,
        POSTHORN_DATA: dataDir,
        ...FREE_PORTS,
      },
    });
    const ended = once(service, 'exit');
    await sendAsPrinted(service);
    service.kill();
    assert.deepEqual(await ended, [0, null]);
  });

  test('systemd accepts the unit of the release, and rates its exposure as low', async () => {
    const analyze = requireProgram('/usr/bin/systemd-analyze', 'systemd');
    // Put in an existing path, because systemd checks that the program exists.
    const unit = join(folder, 'posthorn.service');
    const text = readFileSync(join(installed, 'deploy/posthorn.service'), 'utf8');
    // systemd must restart the service without limit, except after exit code 78, when an operator has to change the configuration.
    assert.match(text, /^\[Unit\]\n(?:[^[].*\n|\n)*StartLimitIntervalSec=0\n/m);
    assert.match(text, /^Restart=on-failure\nRestartSec=5\n/m);
    assert.match(text, /^RestartPreventExitStatus=78$/m);
    writeFileSync(unit, text.replaceAll('/opt/posthorn', installed));
    const { stdout, stderr } = await run(analyze, ['verify', '--man=no', unit]);
    assert.equal(`${stdout}${stderr}`, '');
    await run(analyze, ['security', '--offline=true', `--threshold=${MOST_EXPOSED}`, unit]);
  });
});
