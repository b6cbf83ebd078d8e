import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';

test('vacation and forward commands set and show a vacation reply for a period, and forwarding', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (command: string[], ...args: string[]): Promise<unknown> => {
    const options = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'mailbox', ...command, ...options);
    return code === 0 ? JSON.parse(stdout) : stderr;
  };
  const vacation = {
    vacation: 'on',
    subject: null,
    text: 'Back soon',
    html: null,
    from: '2026-12-20T00:00:00.000Z',
    until: '2027-01-04T00:00:00.000Z',
    days: 7,
  };
  const options = ['--text', 'Back soon', '--from', '2026-12-20', '--until', '2027-01-03'];
  assert.deepEqual(await run(['vacation', 'set'], ...options), vacation);
  assert.deepEqual(await run(['vacation', 'show']), vacation);
  assert.deepEqual(await run(['vacation', 'off']), { vacation: 'off' });
  assert.match(
    String(await run(['forward', 'set'], '--to', 'sales+x@shop.example')),
    /is an address of this mailbox/,
  );
  const rule = ['--name', 'x', '--if', 'size over 0', '--then', 'forward b@elsewhere.example'];
  assert.match(
    String(await run(['rule', 'add'], ...rule)),
    /while the domain of this mailbox, shop.example, is not verified.+Publish the DNS records/s,
  );
  await db.database.updateTable('domains').set({ status: 'verified' }).execute();
  assert.deepEqual(await run(['forward', 'set'], '--to', 'b@Elsewhere.example', '--keep', 'off'), {
    to: 'b@elsewhere.example',
    keep: 'off',
  });
  assert.deepEqual(await run(['forward', 'show']), { to: 'b@elsewhere.example', keep: 'off', failing: [] });
});
