import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { environmentOf } from '../../test/support/cli.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { newMessage } from '../../test/support/mail.ts';
import { newShop } from '../../test/support/projects.ts';
import { ImapWire } from '../doors/imap/wire.fixture.ts';
import { findMailbox } from '../mailboxes/find-mailbox.ts';
import { readConfig } from './config.ts';
import { startTestRoles } from './roles.fixture.ts';
import { Store } from '../store/store.ts';

const PASSWORD = 'correct horse battery staple';
const folder = mkdtempSync(join(tmpdir(), 'posthorn-lessons-'));
after(() => rmSync(folder, { recursive: true }));

test('messages that a mail app moves into or out of Junk train the spam filter of the mailbox, with and without MOVE', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'sales', password: PASSWORD });
  const config = readConfig({
    ...environmentOf(db),
    POSTHORN_DATA: folder,
    POSTHORN_IMAP_PORT: '0',
    POSTHORN_IMAPS_PORT: '0',
  });
  await using roles = await startTestRoles(db, config, ['imap']);
  using wire = await ImapWire.connect({ host: '127.0.0.1', port: roles.ports.imap ?? 0 });
  await wire.signIn({ user: 'sales@shop.example', password: PASSWORD });
  const counts = async () => {
    const row = await db.database
      .selectFrom('mailboxSpamTraining')
      .select(['junk', 'ham'])
      .where('projectId', '=', projectId)
      .executeTakeFirst();
    return [row?.junk ?? 0, row?.ham ?? 0];
  };
  // The filter is trained in the background, so wait for it.
  const hasLearned = (junk: number, ham: number) =>
    eventually(async () => String(await counts()) === `${junk},${ham}`, 5_000);
  const say = async (command: string) =>
    assert.match((await wire.command(command)).at(-1) ?? '', / OK/, command);

  const mailboxId = await findMailbox(db.database, projectId, 'sales@shop.example');
  await new Store(db.database).append(
    [1, 2, 3].map((n) =>
      newMessage(
        { projectId, mailboxId },
        { bytes: Buffer.from(`Subject: offer ${n}\r\n\r\nbuy number ${n}\r\n`) },
      ),
    ),
  );
  await say('b SELECT INBOX');
  await say('c UID MOVE 1 Junk');
  assert.ok(await hasLearned(1, 0), String(await counts()));
  // Apps without the MOVE extension copy the message, then delete the original.
  await say('d UID COPY 2 Junk');
  await say('e UID STORE 2 +FLAGS.SILENT (\\Deleted)');
  await say('f UID EXPUNGE 2');
  assert.ok(await hasLearned(2, 0), String(await counts()));
  await say('g UID MOVE 3 Archive');
  await say('h SELECT Junk');
  await say('i UID MOVE 1 INBOX');
  assert.ok(await hasLearned(1, 1), String(await counts()));
  await say('j UID MOVE 2 Trash');
  await say('k SELECT Trash');
  await say('l UID MOVE 1 Junk');
  assert.ok(await hasLearned(1, 1), String(await counts()));
});
