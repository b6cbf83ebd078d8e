/** What happened in a folder since a client was here (RFC 7162, sections 3.2.5 and 3.2.6). */
import type { SequenceSet } from '../../../rfc/imap/command.ts';
import { isWithin, type UidRange } from '../../../store/uid-ranges.ts';
import { namedUids } from '../named-uids.ts';
import type { SelectedFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

type Resync = NonNullable<Named<'SELECT'>['qresync']>;

/** Numbers of a line. */
const MAX_RANGES = 1_000;

/** Says what has gone, and then which messages have other flags, of those that the client knew. */
export async function resync(session: FolderSession, { modseq, knownUids, seqMatch }: Resync): Promise<void> {
  const { selected } = session;
  const named = knownUids === 'saved' ? [] : knownUids;
  const known = named === null ? null : namedUids(named, selected.uidNext - 1);
  await tellVanished(session, modseq, known, seqMatch === null ? 0 : lastMatch(selected, seqMatch));
  for await (const message of selected.changedSince(modseq)) {
    if (known !== null && !isWithin(known, message.uid)) continue;
    const number = selected.numberOf(message.uid);
    if (number === 0) continue;
    session.tellFlags(number, message);
    if (!(await session.output.room())) return;
  }
}

/**
 * VANISHED (EARLIER): what has gone of the messages that a client knew. What the session itself knows is not among them, though it went meanwhile.
 * @param known null: all @param above up to this UID the client knows what went
 */
async function tellVanished(
  session: FolderSession,
  since: number,
  known: readonly UidRange[] | null,
  above = 0,
): Promise<void> {
  const { selected } = session;
  const wanted = known ?? [{ first: 1, last: selected.uidNext - 1 }];
  let ranges: UidRange[] = [];
  const say = () => {
    if (ranges.length > 0) session.untagged(`VANISHED (EARLIER) ${ranges.map(formatRange).join(',')}`);
    ranges = [];
  };
  for (const range of await selected.goneSince(since, wanted)) {
    if (range.last <= above) continue;
    ranges.push({ first: Math.max(range.first, above + 1), last: range.last });
    if (ranges.length < MAX_RANGES) continue;
    say();
    if (!(await session.output.room())) return;
  }
  say();
}

function formatRange({ first, last }: UidRange): string {
  return first === last ? `${first}` : `${first}:${last}`;
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
