/** What changed in a folder after a MODSEQ, and what has gone since (RFC 7162, sections 3.1.4.1 and 3.2.6). */
import type { SequenceSet } from '../../../rfc/imap/command.ts';
import { isWithin, rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { namedUids } from '../named-uids.ts';
import type { FolderSession } from '../session.ts';
import { sayVanishedEarlier } from '../vanished.ts';

interface Changes {
  /** Those of the ranges that changed. */
  ranges: UidRange[];
  /** All that went; null: it was too long ago to be known. */
  vanished: UidRange[] | null;
}

/** @param ranges ascending and disjoint */
export async function changedIn(
  { services, selected }: FolderSession,
  ranges: readonly UidRange[],
  since: number,
): Promise<Changes> {
  const uids: number[] = [];
  let vanished: UidRange[] | null = [];
  // A number of 63 bits is none that PostgreSQL takes, once it was one of JavaScript's.
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

/** Says which of the messages in a set are there no more. What the client still has in its list it is told later, when the list changes. */
export async function sayVanished(
  session: FolderSession,
  set: SequenceSet,
  vanished: readonly UidRange[] | null,
): Promise<void> {
  const { selected } = session;
  const named = set === 'saved' ? selected.saved : namedUids(set, selected.uidNext - 1);
  await sayVanishedEarlier(session, selected.goneWithin(vanished, named));
}
