/** Copies and moves messages between mailboxes of one project. The caller reads the bytes, because each mailbox has its own contents. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { type AppendResult, appendWithin, type NewMessage } from './append.ts';
import { FLAGGED_MESSAGE } from './change-flags.ts';
import { readRows } from './expunge.ts';
import { type FolderKey, type MailDatabase } from './in-folder.ts';
import { keyOf, lockForStoring } from './lock-mailboxes.ts';
import { folderOf, readFolders, writingFolders } from './locked-folders.ts';
import { forgetContents, recordingExpunged, releasingStorage, removeMessages } from './remove-messages.ts';
import { messagesIn, rangesOf, type UidRange } from './uid-ranges.ts';

const ORIGINAL = columnsOf({
  ...FLAGGED_MESSAGE.kinds,
  octets: 'int4',
  internalDate: 'timestamptz',
  digest: 'bytea',
  authentication: shaped<object | null>('json?'),
  spam: shaped<object | null>('json?'),
});
/** The data of a message that a copy in another mailbox retains. */
export type OriginalMessage = RowOf<typeof ORIGINAL>;

/** Reads at most `limit` messages, sorted by UID. */
export async function readOriginals(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
  limit: number,
): Promise<OriginalMessage[]> {
  const { rows } = await ORIGINAL.sql`
    select m.uid, m.modseq::float8 as modseq, m.flags, m.keywords, m.octets, m.internal_date, c.digest, c.authentication, c.spam
    from (select m.* from ${messagesIn(folder, ranges, limit)} limit ${limit}) m cross join lateral (
      select digest, authentication, spam from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c
    order by m.uid`.execute(database);
  return rows;
}

/** A message of the source folder, as it will be stored in the other mailbox. */
export interface MovedMessage {
  uid: number;
  message: NewMessage;
}

export type MoveAcrossResult =
  | { outcome: 'moved'; uidValidity: number; uids: { from: number; to: number }[] }
  | Exclude<AppendResult, { outcome: 'stored' }>;

/** Thrown to roll back the transaction. */
class NotMoved extends Error {
  readonly result: Exclude<AppendResult, { outcome: 'stored' }>;

  constructor(result: NotMoved['result']) {
    super(result.outcome);
    this.result = result;
  }
}

/**
 * Moves messages to a folder of another mailbox of the project in one transaction, so that each message is in exactly one of the mailboxes
 * at any moment. Skips messages that were expunged in the meantime.
 * @param moved all for the same folder, whose mailbox has its standard folders (`ensureFolders`)
 */
export async function moveAcross(
  mail: MailDatabase,
  source: FolderKey,
  moved: readonly MovedMessage[],
): Promise<MoveAcrossResult> {
  try {
    return await mail.alone(source, () => move(mail.database, source, moved));
  } catch (error) {
    if (error instanceof NotMoved) return error.result;
    throw error;
  }
}

function move(
  database: Database,
  source: FolderKey,
  moved: readonly MovedMessage[],
): Promise<MoveAcrossResult> {
  const { projectId, mailboxId, folderId } = source;
  return database.transaction().execute(async (tx): Promise<MoveAcrossResult> => {
    // Locks both mailboxes in the order of their keys, so that moves in opposite directions cannot deadlock.
    const { mailboxes } = await lockForStoring(tx, [source, ...moved.map(({ message }) => message)]);
    const mailbox = mailboxes.get(keyOf(source));
    const request = { projectId, mailboxId, folder: { id: folderId } };
    const folder = folderOf(await readFolders(tx, [request]), request);
    if (mailbox === undefined || folder === undefined) return { outcome: 'no-folder' };
    const rows = await readRows(tx, { mailbox, folder }, rangesOf(moved.map(({ uid }) => uid)), {
      limit: moved.length,
    });
    const present = new Map(rows.map((row) => [row.uid, row]));
    if (rows.length === 0) return { outcome: 'moved', uidValidity: 0, uids: [] };
    await removeMessages(tx, folder, rows);
    await forgetContents(
      tx,
      mailbox,
      rows,
      sql`${writingFolders([folder])}, ${recordingExpunged(folder, rows)}, ${releasingStorage(mailbox, rows)}`,
    );
    // The flags may have changed since the caller read the messages.
    const arriving = moved.flatMap(({ uid, message }) => {
      const row = present.get(uid);
      return row === undefined
        ? []
        : [{ uid, message: { ...message, flags: row.flags, keywords: row.keywords } }];
    });
    const results = await appendWithin(
      tx,
      arriving.map(({ message }) => message),
      { isWhole: true },
    );
    const uids = results.map((result, at) => {
      if (result.outcome !== 'stored') throw new NotMoved(result);
      return { from: arriving[at]?.uid ?? 0, to: result.uid };
    });
    const [first] = results;
    return { outcome: 'moved', uidValidity: first?.outcome === 'stored' ? first.uidValidity : 0, uids };
  });
}
