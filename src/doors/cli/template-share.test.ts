import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { encodeId } from '../../model/ids.ts';
import { Directory } from '../../directory/directory.ts';
import { starterOf } from '../../templates/starters/starters.ts';
import { Templates } from '../../templates/templates.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-templates-'));

let db: TestDatabase;
let shopId: string;
let newsId: string;
before(async () => {
  db = await testDatabase();
  shopId = await newProject(db.database, 'shop');
  newsId = await newProject(db.database, 'news');
});
after(() => db[Symbol.asyncDispose]());
after(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => posthorn(environmentOf(db), ...args);

test('template commands create, change and delete a template', async () => {
  const templates = new Templates(db.database);
  const file = join(folder, 'welcome.html');
  writeFileSync(file, '<p>{{ order.id }}</p>\n');
  const which = ['--project', 'shop'];
  const result = await run(
    'template',
    'create',
    ...which,
    '--name',
    'welcome',
    '--subject',
    'Hello {{ name }}',
    '--html-file',
    file,
    '--text',
    'Hi',
    '--json',
  );
  assert.equal(result.code, 0, result.stderr);
  const printed = JSON.parse(result.stdout) as { id: string };
  const [created] = await templates.list(shopId);
  assert.deepEqual(printed, { id: created?.id, name: 'welcome', variables: ['name', 'order.id'] });
  assert.partialDeepStrictEqual(created, { html: '<p>{{ order.id }}</p>\n', text: 'Hi' });

  const changed = await run('template', 'update', ...which, '--id', printed.id, '--subject', 'Hi');
  assert.equal(changed.stdout, `id: ${printed.id}\nname: welcome\nvariables: order.id\n`);
  assert.partialDeepStrictEqual(await templates.list(shopId), [{ subject: 'Hi', text: 'Hi' }]);

  const stranger = await run('template', 'delete', '--project', 'news', '--id', printed.id);
  assert.deepEqual([stranger.code, stranger.stdout], [1, '']);
  assert.match(stranger.stderr, /The project news has no such template/);
  assert.equal((await run('template', 'delete', ...which, '--id', printed.id)).stdout, 'deleted\n');
  assert.deepEqual(await templates.list(shopId), []);
});

test('a template starts with an example, of which options replace parts', async () => {
  const create = (...args: string[]) => run('template', 'create', '--project', 'shop', ...args);
  const unsaid = await create('--name', 'reset');
  assert.equal(unsaid.code, 1);
  assert.match(unsaid.stderr, /subject: is required; use --subject, or --starter/);
  const named = await create(
    '--name',
    'reset',
    '--starter',
    'password-reset',
    '--text',
    'Open {{ reset_url }}',
  );
  assert.equal(named.code, 0, named.stderr);
  const [created] = await new Templates(db.database).list(shopId);
  const { subject, html, sample } = starterOf('password-reset');
  assert.partialDeepStrictEqual(created, { subject, html, text: 'Open {{ reset_url }}' });
  const stored = await db.database.selectFrom('templates').select('sample').executeTakeFirst();
  assert.equal(stored?.sample, sample);
});

test('a template error is reported with field, line and column', async () => {
  const args = ['--project', 'shop', '--name', 'a', '--subject', 'b'];
  const { code, stderr } = await run('template', 'create', ...args, '--html', 'a\n {% iff %}');
  assert.equal(code, 1);
  assert.match(stderr, /^ {2}html: line 2, column 2: there is no tag iff; the available tags are if, /m);
});

test('an unreadable file is named in the error, and a body given twice is rejected', async () => {
  const args = ['template', 'create', '--project', 'shop', '--name', 'a', '--subject', 'b'];
  const missing = join(folder, 'missing.html');
  const absent = await run(...args, '--html-file', missing);
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /html: the file cannot be read: .*missing\.html/);
  const twice = await run(...args, '--text', 'a', '--text-file', missing);
  assert.match(twice.stderr, /text: use either --text or --text-file, not both/);
});

test('share create shares a directory with another project only once, and share remove stops the sharing', async () => {
  const directory = new Directory(db.database);
  const args = ['--project', 'shop', '--to', 'news'];
  const { stdout } = await run('share', 'create', ...args, '--json');
  const printed = JSON.parse(stdout) as { id: string };
  assert.deepEqual(printed, { id: printed.id, project: 'shop', to: 'news' });
  const { shares } = await directory.list(newsId);
  assert.partialDeepStrictEqual(shares.inbound, [{ id: printed.id, project_id: encodeId('prj', shopId) }]);

  const again = await run('share', 'create', ...args);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /already shared with that project/);
  const itself = await run('share', 'create', '--project', 'shop', '--to', 'shop');
  assert.match(itself.stderr, /to: must be another project/);

  assert.equal((await run('share', 'remove', ...args)).stdout, 'removed\n');
  const gone = await run('share', 'remove', ...args);
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /The directory of shop is not shared with news/);
});
