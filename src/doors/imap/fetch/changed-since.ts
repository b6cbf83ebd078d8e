/** FETCH with CHANGEDSINCE and VANISHED (RFC 7162, sections 3.1.4.1 and 3.2.6). */
import type { SequenceSet } from '../../../rfc/imap/command.ts';
import { isWithin, rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { namedUids } from '../named-uids.ts';
import type { FolderSession } from '../session.ts';
import { sendVanishedEarlier } from '../vanished.ts';

interface Changes {
  /** Changed messages in the requested ranges. */
  ranges: UidRange[];
  /** All UIDs expunged since the MODSEQ in the command; null if the store has dropped some of its records of these expunges. */
  vanished: UidRange[] | null;
}

/** Reads the changes after a MODSEQ. @param ranges ascending and disjoint ranges */
export async function changedIn(
  { services, selected }: FolderSession,
  ranges: readonly UidRange[],
  since: number,
): Promise<Changes> {
  const uids: number[] = [];
  let vanished: UidRange[] | null = [];
  // A client may send a 63-bit MODSEQ, which a JavaScript number may round up to more than PostgreSQL accepts.
  for (let modseq = Math.min(since, Number.MAX_SAFE_INTEGER); ; ) {
    const changes = await services.store.changesSince(selected.key, modseq);
    if (changes === null) break;
    for (const { uid } of changes.changed) if (isWithin(ranges, uid)) uids.push(uid);
    if (changes.vanished === null) vanished = null;
    else for (const range of changes.vanished) vanished?.push(range);
    ({ modseq } = changes);
    if (!changes.hasMore) break;
  }
  return { ranges: rangesOf(uids), vanished };
}

/** Sends VANISHED (EARLIER) for the expunged UIDs in a set, except those in the client's list, which the next update reports. */
export async function sendVanishedSince(
  session: FolderSession,
  set: SequenceSet,
  vanished: readonly UidRange[] | null,
): Promise<void> {
  const { selected } = session;
  const named = set === 'saved' ? selected.saved : namedUids(set, selected.uidNext - 1);
  await sendVanishedEarlier(session, selected.expungedWithin(vanished, named));
}
