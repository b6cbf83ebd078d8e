/** A mailbox that changes while mail apps use it. */
import type { Database } from '../../../src/db/database.ts';
import { FLAG } from '../../../src/store/flags.ts';
import type { MailboxKey } from '../../../src/store/lock-mailboxes.ts';
import { Store } from '../../../src/store/store.ts';
import { newMessage } from '../mail.ts';
import type { ImapEndpoint } from './client.ts';
import type { Random } from './random.ts';
import type { Arena } from './sessions.ts';

const FOLDERS = ['INBOX', 'Archive'];

/** @param endpoints the IMAP servers at which the mailbox can be opened */
export async function arenaOf(
  database: Database,
  mailbox: MailboxKey,
  endpoints: readonly ImapEndpoint[],
): Promise<Arena> {
  const store = new Store(database);
  const folders = (await store.folders(mailbox)).filter(({ name }) => FOLDERS.includes(name));
  return {
    endpoints,
    folders: FOLDERS,
    async changeMailbox(random: Random) {
      const folder = { ...mailbox, folderId: random.one(folders).id };
      const uids = (await store.snapshot(folder))?.uids ?? new Uint32Array();
      const uid = uids.length === 0 ? 1 : (uids[random.below(uids.length)] ?? 1);
      const ranges = [{ first: uid, last: uid + random.below(3) }];
      await random.one([
        () => store.append([newMessage(mailbox, { folder: { id: folder.folderId } })]),
        () =>
          store.flag(folder, ranges, { op: 'add', flags: FLAG.flagged, keywords: [`k${random.below(9)}`] }),
        () => store.expunge(folder, { ranges, isDeletedOnly: false }),
      ])();
    },
  };
}
