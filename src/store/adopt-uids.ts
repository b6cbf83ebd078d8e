import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import * as clock from '../model/clock.ts';
import { type FolderKey, inMailbox, type MailDatabase } from './in-folder.ts';
import { writingStates } from './usage.ts';
import { MAX_UID } from './uid-ranges.ts';

/** The UIDs of a folder on the server that it is copied from. */
export interface SourceUids {
  uidValidity: number;
  uidNext: number;
  /** HIGHESTMODSEQ (RFC 7162). Null if that server has none, or if it is not known. */
  modseq: number | null;
}

/**
 * How many UIDs stay reserved for mail that still arrives on the old server. Mail that is stored here otherwise gets higher UIDs, so that
 * one UID never means one message here and another one there.
 */
const RESERVED = 1_000_000;
/**
 * The seconds since then, and milliseconds for MODSEQs, are added to what is reserved. Thus an installation that was restored from a backup
 * of before the adoption, and adopts the same UIDVALIDITY again, does not assign the same numbers to other messages.
 */
const SINCE_MS = Date.UTC(2026);
/** The UIDs above it are for mail of later years. */
const MAX_RESERVED = MAX_UID / 2;
/**
 * Mail apps ask for what changed after the MODSEQ that they saw on the old server, so all MODSEQs here must be higher than any that it
 * assigns until the switch. That server may count changes, or use the time in microseconds: then this is a year.
 */
const MODSEQ_RESERVE = 2 ** 45;
/** Leaves as many for the changes here, up to the highest exact number. */
const MAX_MODSEQ = 2 ** 52;
/** Most servers use the time as UIDVALIDITY. A value from the future could be assigned again to another folder. */
const AHEAD_SECONDS = 86_400;

const ADOPTING = columnsOf({
  id: 'uuid',
  hasValidity: 'bool',
  hasAdopted: 'bool',
  isUnused: 'bool',
  isSpent: 'bool',
  highestModseq: 'float8',
});

/**
 * Gives a folder the UIDVALIDITY of its original on another server, so that its messages can keep their UIDs (`NewMessage.uid`) and mail
 * apps need not download them again. Only for a folder that never had a message and has adopted no other UIDVALIDITY, and if no other
 * folder of the mailbox, including deleted ones, had messages under the UIDVALIDITY. The MODSEQs of the folder become higher than those of
 * its original.
 * @returns whether the folder has adopted the UIDVALIDITY, now or earlier
 */
export async function adoptUids(
  mail: MailDatabase,
  key: FolderKey,
  { uidValidity, uidNext, modseq }: SourceUids,
): Promise<boolean> {
  const { projectId, mailboxId, folderId } = key;
  const sinceMs = Math.max(0, clock.nowMs() - SINCE_MS);
  const reservedBelow = uidNext + RESERVED + Math.ceil(sinceMs / 1_000);
  if (!(reservedBelow <= MAX_RESERVED)) return false;
  const firstModseq = (modseq ?? 0) + MODSEQ_RESERVE + Math.ceil(sinceMs);
  if (!(firstModseq <= MAX_MODSEQ)) return false;
  if (!(uidValidity >= 1 && uidValidity <= clock.nowMs() / 1_000 + AHEAD_SECONDS)) return false;
  const adopted = await inMailbox(mail, key, async (tx, mailbox) => {
    // Includes deleted folders, because a mail app may still know them.
    const { rows } = await ADOPTING.sql`
      select id, f.uid_validity = ${uidValidity}::int8 as has_validity, uid_reserved_below > 1 as has_adopted,
        uid_next = 1 and messages = 0 as is_unused, ${uidValidity}::int8 = any (s.spent_uid_validities) as is_spent,
        highest_modseq::float8 as highest_modseq
      from folders f join mailbox_states s using (project_id, mailbox_id)
      where project_id = ${projectId} and mailbox_id = ${mailboxId}
        and (f.uid_validity = ${uidValidity}::int8 or id = ${folderId} and name is not null)`.execute(tx);
    const own = rows.find(({ id }) => id === folderId);
    const others = rows.filter(({ id }) => id !== folderId);
    if (own === undefined) return false;
    // Messages of one server may still come with their UIDs, so those of another one would get the same.
    if (own.hasAdopted) return own.hasValidity && own.highestModseq > (modseq ?? 0);
    if (own.isSpent || !own.isUnused || others.some(({ isUnused }) => !isUnused)) return false;
    mailbox.uidValidity = Math.max(mailbox.uidValidity, uidValidity) + others.length;
    for (const [at, { id }] of others.entries())
      await sql`
        update folders set uid_validity = ${mailbox.uidValidity - at}::int8
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(tx);
    await sql`
      with ${writingStates([mailbox])}
      update folders set uid_validity = ${uidValidity}::int8, uid_reserved_below = ${reservedBelow}::int4,
        highest_modseq = greatest(highest_modseq, ${firstModseq}::int8), forgotten_modseq = greatest(highest_modseq, ${firstModseq}::int8)
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId}`.execute(tx);
    return true;
  });
  return adopted ?? false;
}
