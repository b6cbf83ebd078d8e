import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';

test('alias commands create an alias, list it with its mailboxes, and delete it by address', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'ann' });
  const { mailboxId } = await newMailbox(db.database, { projectId });
  const other = `anna@${mailboxId.slice(-12)}.example`;
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'alias', ...args, '--project', 'shop');
    return code === 0 ? stdout : stderr;
  };
  const create = (address: string, ...mailboxes: string[]) =>
    run('create', '--address', address, '--json', '--mailbox', ...mailboxes);
  const created = JSON.parse(await create('Team@SHOP.example', 'ANN@shop.example', other)) as { id: string };
  assert.partialDeepStrictEqual(created, { address: 'Team@shop.example', domain: 'shop.example' });
  assert.match(
    await run('list'),
    new RegExp(`^ID.*\n${created.id} .* Team@shop.example  ann@shop.example ${other}`),
  );
  assert.match(await create('x@elsewhere.example', other), /elsewhere.example is neither a domain/);
  assert.equal(await run('delete', '--address', 'TEAM@shop.example'), 'deleted Team@shop.example\n');
  assert.deepEqual(await db.database.selectFrom('aliases').selectAll().execute(), []);
});
