/** What happened in a folder since a client was here (RFC 7162, sections 3.2.5 and 3.2.6). */
import type { SequenceSet } from '../../../rfc/imap/command.ts';
import { isWithin, rangesAbove } from '../../../store/uid-ranges.ts';
import { namedUids } from '../named-uids.ts';
import type { SelectedFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import { sayVanishedEarlier } from '../vanished.ts';
import type { Named } from './entry.ts';

type Resync = NonNullable<Named<'SELECT'>['qresync']>;

/** Says what has gone, and then which messages have other flags, of those that the client knew. */
export async function resync(session: FolderSession, { modseq, knownUids, seqMatch }: Resync): Promise<void> {
  const { selected } = session;
  const named = knownUids === 'saved' ? [] : knownUids;
  const known = named === null ? null : namedUids(named, selected.uidNext - 1);
  const wanted = known ?? [{ first: 1, last: selected.uidNext - 1 }];
  const above = seqMatch === null ? 0 : lastMatch(selected, seqMatch);
  // Up to the last match the client knows what went.
  const gone = await selected.goneSince(modseq, wanted);
  await sayVanishedEarlier(session, rangesAbove(gone, above));
  for await (const message of selected.changedSince(modseq)) {
    if (known !== null && !isWithin(known, message.uid)) continue;
    const number = selected.numberOf(message.uid);
    if (number === 0) continue;
    session.tellFlags(number, message);
    if (!(await session.output.room())) return;
  }
}

/** The last UID of the client's sample that stands where the client says (section 3.2.5.2); 0: none does. */
function lastMatch(selected: SelectedFolder, { numbers, uids }: NonNullable<Resync['seqMatch']>): number {
  if (numbers === 'saved' || uids === 'saved') return 0;
  let match = 0;
  const eachUid = each(uids);
  for (const number of each(numbers)) {
    const uid = eachUid.next();
    if (uid.done === true || number > selected.exists) break;
    if (selected.uidAt(number) !== uid.value) break;
    match = uid.value;
  }
  return match;
}

function* each(set: Exclude<SequenceSet, 'saved'>): Generator<number, undefined, void> {
  for (const [first, last] of set)
    if (first !== '*' && last !== '*') for (let at = first; at <= last; at++) yield at;
}
