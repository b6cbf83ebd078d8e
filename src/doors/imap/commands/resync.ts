/** Resynchronizes a client that has a copy of the folder from an earlier session (RFC 7162, sections 3.2.5 and 3.2.6). */
import type { KnownSet } from '../../../rfc/imap/command.ts';
import { isWithin, rangesAbove } from '../../../store/uid-ranges.ts';
import { namedUids } from '../named-uids.ts';
import type { SelectedFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import { sendVanishedEarlier } from '../vanished.ts';
import type { Named } from './entry.ts';

type Resync = NonNullable<Named<'SELECT'>['qresync']>;

/** Sends the expunged messages and then the changed flags, limited to UIDs in the client's copy. */
export async function resync(session: FolderSession, { modseq, knownUids, seqMatch }: Resync): Promise<void> {
  const { selected } = session;
  const known = knownUids === null ? null : namedUids(knownUids, selected.uidNext - 1);
  const within = known ?? [{ first: 1, last: selected.uidNext - 1 }];
  const above = seqMatch === null ? 0 : lastMatch(selected, seqMatch);
  // Up to the last UID that matches, the client has already removed the expunged messages from its copy.
  const expunged = await selected.expungedSince(modseq, within);
  await sendVanishedEarlier(session, rangesAbove(expunged, above));
  for await (const message of selected.changedSince(modseq)) {
    if (known !== null && !isWithin(known, message.uid)) continue;
    const number = selected.numberOf(message.uid);
    if (number === 0) continue;
    session.sendMessageFlags(number, message);
    if (!(await session.output.drained())) return;
  }
}

/**
 * The last UID in the client's sample whose sequence number still matches (RFC 7162, section 3.2.5.2), or 0. Takes one step for each range
 * in the sample, and one step for each message in the range that matches only in part.
 */
function lastMatch(selected: SelectedFolder, { numbers, uids }: NonNullable<Resync['seqMatch']>): number {
  let match = 0;
  for (const { number, uid, length } of pairsOf(numbers, uids)) {
    const there = Math.min(length, selected.exists - number + 1);
    if (there < 1 || selected.uidAt(number) !== uid) return match;
    // UIDs ascend, so if the first and the last UID of a range match, all UIDs of the range match.
    const areConsecutive = selected.uidAt(number + there - 1) === uid + there - 1;
    let fitting = areConsecutive ? there : 1;
    while (fitting < there && selected.uidAt(number + fitting) === uid + fitting) fitting++;
    match = uid + fitting - 1;
    if (fitting < length) return match;
  }
  return match;
}

/** Pairs sequence numbers with UIDs, as runs of consecutive numbers. Ignores the rest of the longer set. */
function* pairsOf(numbers: KnownSet, uids: KnownSet) {
  let [atNumber, atUid, numbersDone, uidsDone] = [0, 0, 0, 0];
  for (;;) {
    const [of, to] = [numbers[atNumber], uids[atUid]];
    if (of === undefined || to === undefined) return;
    const [number, uid] = [of[0] + numbersDone, to[0] + uidsDone];
    const length = Math.min(of[1] - number, to[1] - uid) + 1;
    yield { number, uid, length };
    [numbersDone, uidsDone] = [numbersDone + length, uidsDone + length];
    if (number + length > of[1]) [atNumber, numbersDone] = [atNumber + 1, 0];
    if (uid + length > to[1]) [atUid, uidsDone] = [atUid + 1, 0];
  }
}
