import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';
import { Sealer } from '../../db/seal.ts';
import { announceFile } from '../../file-links/announce-file.ts';
import { FileLinks } from '../../file-links/file-links.ts';
import { encodeId } from '../../model/ids.ts';

test('file-link list shows no file names, and file-link revoke revokes a link and logs the change', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'ann' });
  const mailbox = await newMailbox(db.database, { projectId });
  const sealer = await Sealer.create('secret', randomBytes(16));
  const links = new FileLinks({ database: db.database, sealer, address: () => 'http://localhost' });
  const id = await announceFile(db.database, mailbox, { name: 'secret.pdf', type: '', octets: 10 });
  const link = await links.create(mailbox, { files: [encodeId('fil', id)] });
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, code } = await posthorn(
      environmentOf(db),
      'file-link',
      ...args,
      '--project',
      'shop',
    );
    return code === 0 ? stdout : stderr;
  };
  const listed = await run('list');
  assert.match(listed, new RegExp(`^ID.*\n${link.id} .* uploading `));
  assert.doesNotMatch(listed, /secret/);
  assert.match(await run('revoke', '--id', 'lnk_nothing'), /no .*file link/i);
  assert.equal(await run('revoke', '--id', link.id), `revoked ${link.id}\n`);
  assert.match(await run('list'), / revoked /);
  const { action, target } = await db.database
    .selectFrom('auditLog')
    .select(['action', 'target'])
    .where('action', 'like', 'file-link.%')
    .executeTakeFirstOrThrow();
  assert.deepEqual([action, target], ['file-link.revoke', link.id]);
});
