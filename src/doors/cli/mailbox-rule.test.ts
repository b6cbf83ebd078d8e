import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';

test('rules and blocked senders are added, changed and listed', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (command: string[], ...args: string[]): Promise<unknown> => {
    const given = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'mailbox', ...command, ...given);
    return code === 0 ? JSON.parse(stdout) : stderr;
  };
  const conditions = ['from contains @news.example', 'size over 5M'];
  const words = conditions.flatMap((condition) => ['--if', condition]);
  const made = (await run(
    ['rule', 'add'],
    '--name',
    'News',
    ...words,
    '--any',
    '--then',
    'file News',
    '--then',
    'mark read',
  )) as {
    id: string;
  };
  assert.match(made.id, /^rule_/);
  const kept = {
    id: made.id,
    position: 1,
    name: 'News',
    enabled: true,
    match: 'any',
    conditions: ['from contains @news.example', 'size over 5242880'],
    actions: ['file News', 'mark read'],
  };
  assert.deepEqual(made, kept);
  assert.match(
    String(await run(['rule', 'add'], '--name', 'x', '--if', 'body is x', '--then', 'flag')),
    /not a condition/,
  );
  assert.deepEqual(await run(['rule', 'set'], '--id', made.id, '--enabled', 'off'), {
    id: made.id,
    enabled: false,
  });
  assert.deepEqual(await run(['rule', 'list']), { data: [{ ...kept, enabled: false }] });
  const changed = {
    ...kept,
    enabled: false,
    name: 'Shop',
    match: 'all',
    conditions: ['from is a@news.example'],
    actions: ['flag'],
  };
  assert.deepEqual(
    await run(
      ['rule', 'change'],
      '--id',
      made.id,
      '--name',
      'Shop',
      '--if',
      'from is a@news.example',
      '--then',
      'flag',
    ),
    changed,
  );
  assert.deepEqual(await run(['rule', 'list']), { data: [changed] });

  assert.deepEqual(await run(['block', 'add'], '--sender', 'Spam@News.example'), {
    sender: 'spam@news.example',
    blocked: true,
  });
  const { data } = (await run(['block', 'list'])) as { data: { sender: string }[] };
  assert.deepEqual(
    data.map(({ sender }) => sender),
    ['spam@news.example'],
  );
});
