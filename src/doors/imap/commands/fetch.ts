import type { FetchItem } from '../../../rfc/imap/command.ts';
import { rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { fetchMessages } from '../fetch/fetch-messages.ts';
import { planFetch } from '../fetch/fetch-plan.ts';
import { changedIn, sendVanishedSince } from '../fetch/changed-since.ts';
import { type TaggedResponse, RESPONSES, bad, no, ok } from '../responses.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** FETCH and UID FETCH (RFC 9051, section 6.4.5; RFC 7162, sections 3.1.4 and 3.2.6; RFC 9394, section 3.3). */
export async function fetch(session: FolderSession, command: Named<'FETCH'>): Promise<TaggedResponse> {
  const { selected } = session;
  if (command.vanished && !session.enabled.has('QRESYNC')) return bad('VANISHED requires ENABLE QRESYNC');
  const named = selected.resolve(command.set, command.uid);
  if (named === null) return RESPONSES.badSet;
  const items = itemsOf(command);
  if (items.some(({ item }) => item === 'MODSEQ')) session.enableCondstore();
  let ranges: readonly UidRange[] = named;
  if (command.partial !== null) ranges = rangesOf(pick(selected.uidsIn(ranges), command.partial));
  if (command.changedSince !== null) {
    const changes = await changedIn(session, ranges, command.changedSince);
    if (command.vanished) await sendVanishedSince(session, command.set, changes.vanished);
    ranges = changes.ranges;
  }
  const fetched = await fetchMessages(session, planFetch(session, items), ranges);
  if (fetched?.hasUnknownEncoding === true)
    return no('UNKNOWN-CTE', 'Some parts have an unknown transfer encoding');
  const isMissing = !command.uid && fetched !== null && fetched.count < selected.countIn(ranges);
  return isMissing ? ok('Some of the messages were expunged', 'EXPUNGEISSUED') : ok('Fetched');
}

/** The items of a command and the items that the command implies, without duplicates. */
function itemsOf({ items, uid, changedSince }: Named<'FETCH'>): FetchItem[] {
  const all = new Map<string, FetchItem>();
  const implied: FetchItem[] = [
    ...(uid ? [{ item: 'UID' } as const] : []),
    ...(changedSince === null ? [] : [{ item: 'MODSEQ' } as const]),
  ];
  for (const item of [...implied, ...items]) all.set(JSON.stringify(item), item);
  return [...all.values()];
}

/** Selects the UIDs at two positions and between them. Position 1 is the first UID, position -1 the last. */
function pick(uids: readonly number[], [first, last]: readonly [number, number]): number[] {
  const [a, b] = [first, last].map((at) => (at < 0 ? uids.length + at : at - 1)) as [number, number];
  return uids.slice(Math.max(0, Math.min(a, b)), Math.max(0, Math.max(a, b) + 1));
}
