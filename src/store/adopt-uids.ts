import { columnsOf } from '../db/columns.ts';
import * as clock from '../model/clock.ts';
import { type FolderKey, inMailbox, type MailDatabase } from './in-folder.ts';
import { writingStates } from './usage.ts';
import { MAX_UID } from './uid-ranges.ts';

/** The UIDs of a folder on the server that it is copied from. */
export interface SourceUids {
  uidValidity: number;
  uidNext: number;
}

/**
 * How many UIDs stay reserved for mail that still arrives on the old server. Mail that is stored here otherwise gets higher UIDs, so that
 * one UID never means one message here and another one there.
 */
const RESERVED = 1_000_000;
/** The UIDs above it are for mail of later years. */
const MAX_RESERVED = MAX_UID / 2;
/** Most servers use the time as UIDVALIDITY. A value from the future could be assigned again to another folder. */
const AHEAD_SECONDS = 86_400;

const FOLDER = columnsOf({ id: 'uuid' });

/**
 * Gives a folder the UIDVALIDITY of its original on another server, so that its messages can keep their UIDs (`NewMessage.uid`) and mail
 * apps need not download them again. Only for a folder that never had a message, and if no other folder of the mailbox has the UIDVALIDITY.
 * @returns whether the folder has adopted the UIDVALIDITY, now or earlier
 */
export async function adoptUids(
  mail: MailDatabase,
  key: FolderKey,
  { uidValidity, uidNext }: SourceUids,
): Promise<boolean> {
  const { projectId, mailboxId, folderId } = key;
  const reservedBelow = uidNext + RESERVED;
  if (!(reservedBelow <= MAX_RESERVED)) return false;
  if (!(uidValidity >= 1 && uidValidity <= clock.nowMs() / 1_000 + AHEAD_SECONDS)) return false;
  const adopted = await inMailbox(mail, key, async (tx, mailbox) => {
    const { rows: earlier } = await FOLDER.sql`
      select id from folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId} and name is not null
        and uid_validity = ${uidValidity}::int8 and uid_reserved_below > 1`.execute(tx);
    if (earlier.length > 0) return true;
    mailbox.uidValidity = Math.max(mailbox.uidValidity, uidValidity);
    const { rows } = await FOLDER.sql`
      with ${writingStates([mailbox])}
      update folders f set uid_validity = ${uidValidity}::int8, uid_reserved_below = ${reservedBelow}::int4
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId} and name is not null
        and uid_next = 1 and messages = 0 and not exists (
          select from folders o where o.project_id = f.project_id and o.mailbox_id = f.mailbox_id and o.id <> f.id
            and o.uid_validity = ${uidValidity}::int8)
      returning id`.execute(tx);
    return rows.length > 0;
  });
  return adopted ?? false;
}
