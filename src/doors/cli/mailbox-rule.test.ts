import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';

test('rule and block commands add, change and list rules and blocked senders', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (command: string[], ...args: string[]): Promise<unknown> => {
    const allArgs = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'mailbox', ...command, ...allArgs);
    return code === 0 ? JSON.parse(stdout) : stderr;
  };
  const conditions = ['from contains @news.example', 'size over 5M'];
  const conditionOptions = conditions.flatMap((condition) => ['--if', condition]);
  const added = (await run(
    ['rule', 'add'],
    '--name',
    'News',
    ...conditionOptions,
    '--any',
    '--then',
    'file News',
    '--then',
    'mark read',
  )) as {
    id: string;
  };
  assert.match(added.id, /^rule_/);
  const rule = {
    id: added.id,
    position: 1,
    name: 'News',
    enabled: true,
    match: 'any',
    conditions: ['from contains @news.example', 'size over 5242880'],
    actions: ['file News', 'mark read'],
  };
  assert.deepEqual(added, rule);
  assert.match(
    String(await run(['rule', 'add'], '--name', 'x', '--if', 'body is x', '--then', 'flag')),
    /not a condition/,
  );
  assert.deepEqual(await run(['rule', 'set'], '--id', added.id, '--enabled', 'off'), {
    id: added.id,
    enabled: false,
  });
  assert.deepEqual(await run(['rule', 'list']), { data: [{ ...rule, enabled: false }] });
  const changed = {
    ...rule,
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
      added.id,
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
