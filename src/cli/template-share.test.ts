import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { createProject, ensureOrganization } from '../accounts/projects.ts';
import { encodeId } from '../model/ids.ts';
import { Directory } from '../directory/directory.ts';
import { Templates } from '../templates/templates.ts';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'posthorn-templates-'));

let db: TestDatabase;
let shopId: string;
let newsId: string;
before(async () => {
  db = await testDatabase();
  [shopId, newsId] = await db.database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    return [
      await createProject(tx, organizationId, 'shop', 'paid'),
      await createProject(tx, organizationId, 'news', 'paid'),
    ] as const;
  });
});
after(() => db[Symbol.asyncDispose]());
after(() => rmSync(folder, { recursive: true }));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

function posthorn(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: 'secret of the tests' };
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('a template is created, changed and deleted', async () => {
  const templates = new Templates({ database: db.database });
  const file = join(folder, 'welcome.html');
  writeFileSync(file, '<p>{{ order.id }}</p>\n');
  const which = ['--project', 'shop'];
  const made = await posthorn(
    'template',
    'create',
    ...which,
    ...['--name', 'welcome', '--subject', 'Hello {{ name }}', '--html-file', file, '--text', 'Hi'],
    '--json',
  );
  assert.equal(made.code, 0, made.stderr);
  const printed = JSON.parse(made.stdout) as { id: string };
  const [created] = await templates.list(shopId);
  assert.deepEqual(printed, { id: created?.id, name: 'welcome', variables: ['name', 'order.id'] });
  assert.partialDeepStrictEqual(created, { html: '<p>{{ order.id }}</p>\n', text: 'Hi' });

  const changed = await posthorn('template', 'update', ...which, '--id', printed.id, '--subject', 'Hi');
  assert.equal(changed.stdout, `id: ${printed.id}\nname: welcome\nvariables: order.id\n`);
  assert.partialDeepStrictEqual(await templates.list(shopId), [{ subject: 'Hi', text: 'Hi' }]);

  const stranger = await posthorn('template', 'delete', '--project', 'news', '--id', printed.id);
  assert.deepEqual([stranger.code, stranger.stdout], [1, '']);
  assert.match(stranger.stderr, /The project news has no such template/);
  assert.equal((await posthorn('template', 'delete', ...which, '--id', printed.id)).stdout, 'deleted\n');
  assert.deepEqual(await templates.list(shopId), []);
});

test('what is wrong with a template is said with its field, line and column', async () => {
  const args = ['--project', 'shop', '--name', 'a', '--subject', 'b'];
  const { code, stderr } = await posthorn('template', 'create', ...args, '--html', 'a\n {% iff %}');
  assert.equal(code, 1);
  assert.match(stderr, /^ {2}html: line 2, column 2: there is no tag iff; the tags are if, /m);
});

test('a file that cannot be read is named, and so is a body that is given twice', async () => {
  const args = ['template', 'create', '--project', 'shop', '--name', 'a', '--subject', 'b'];
  const missing = join(folder, 'missing.html');
  const absent = await posthorn(...args, '--html-file', missing);
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /html: the file cannot be read: .*missing\.html/);
  const twice = await posthorn(...args, '--text', 'a', '--text-file', missing);
  assert.match(twice.stderr, /text: give --text or --text-file, not both/);
});

test('a directory is shared with another project, once, until the share is removed', async () => {
  const directory = new Directory({ database: db.database });
  const args = ['--project', 'shop', '--to', 'news'];
  const { stdout } = await posthorn('share', 'create', ...args, '--json');
  const printed = JSON.parse(stdout) as { id: string };
  assert.deepEqual(printed, { id: printed.id, project: 'shop', to: 'news' });
  const { shares } = await directory.list(newsId);
  assert.partialDeepStrictEqual(shares.inbound, [{ id: printed.id, project_id: encodeId('prj', shopId) }]);

  const again = await posthorn('share', 'create', ...args);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /shared with that project already/);
  const itself = await posthorn('share', 'create', '--project', 'shop', '--to', 'shop');
  assert.match(itself.stderr, /to: is the project itself/);

  assert.equal((await posthorn('share', 'remove', ...args)).stdout, 'removed\n');
  const gone = await posthorn('share', 'remove', ...args);
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /The directory of shop is not shared with news/);
});
