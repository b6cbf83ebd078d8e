import type { SortKey } from '../../../rfc/imap/command.ts';
import type { MessageOrder } from '../../../store/find/sort-messages.ts';
import { yieldingSlices } from '../yielding-slices.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import { searching, TOO_LONG, uidRangesOf, writeNumbers } from '../searching.ts';
import type { SelectedFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';
import { sendResult } from './search.ts';

const ORDERS = {
  ARRIVAL: 'arrival',
  CC: 'cc',
  DATE: 'date',
  DISPLAYFROM: 'shown-from',
  DISPLAYTO: 'shown-to',
  FROM: 'from',
  SIZE: 'size',
  SUBJECT: 'subject',
  TO: 'to',
} as const satisfies Record<SortKey['by'], MessageOrder>;

/** SORT and UID SORT (RFC 5256; RFC 5267, section 3; RFC 5957). */
export async function sort(session: FolderSession, command: Named<'SORT'>): Promise<TaggedResponse> {
  const { selected, services } = session;
  return searching(session, command, async (found) => {
    const keys = command.keys.map(({ by, reverse }) => ({ by: ORDERS[by], reverse }));
    const ranges = uidRangesOf(session, found.numbers);
    const sorted = await found.inSlot(() =>
      services.store.sort(selected.key, ranges, found.numbers.length, keys, found.msLeft()),
    );
    if (sorted === null) return TOO_LONG;
    if (command.return !== null) {
      const numbers = await numbersOf(selected, sorted);
      return sendResult(session, { ...command, return: command.return }, found, numbers);
    }
    session.output.raw('* SORT');
    await writeNumbers(session, command.uid ? sorted : await numbersOf(selected, sorted));
    session.output.line(
      found.highestModseq !== null && sorted.length > 0 ? ` (MODSEQ ${found.highestModseq})` : '',
    );
    return ok('Sorted');
  });
}

/** Converts UIDs to sequence numbers, in the same order. */
async function numbersOf(selected: SelectedFolder, uids: Uint32Array): Promise<Uint32Array> {
  const numbers = new Uint32Array(uids.length);
  let at = 0;
  for await (const some of yieldingSlices(uids))
    for (const uid of some) numbers[at++] = selected.numberOf(uid);
  return numbers;
}
