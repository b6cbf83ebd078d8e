import { formatEsearch } from '../../../rfc/imap/format-numbers.ts';
import type { SearchReturn } from '../../../rfc/imap/command.ts';
import { type TaggedResponse, bad, no, ok } from '../responses.ts';
import { save, type Search, searching, uidRangesOf, writeNumbers, writeSet } from '../searching.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** How many messages to read the flags of at a time. */
const FLAGS_AT_A_TIME = 20_000;

/** SEARCH and UID SEARCH (RFC 9051, section 6.4.4; RFC 3501; RFC 4731; RFC 5182; RFC 6855, section 3; RFC 9394). */
export async function search(session: FolderSession, command: Named<'SEARCH'>): Promise<TaggedResponse> {
  if (command.charset !== null && session.enabled.has('UTF8=ACCEPT'))
    return bad('CHARSET is not allowed after ENABLE UTF8=ACCEPT; searches use UTF-8');
  return searching(session, command, async (found) => {
    const { numbers, highestModseq } = found;
    if (command.return !== null || session.isRev2)
      return sendResult(session, { ...command, return: command.return ?? ['ALL'] }, found, numbers);
    session.output.raw('* SEARCH');
    await writeNumbers(session, shown(session, command.uid, numbers));
    session.output.line(highestModseq !== null && numbers.length > 0 ? ` (MODSEQ ${highestModseq})` : '');
    return ok('Searched');
  });
}

/**
 * Sends ESEARCH with the requested return options, and saves the result for SAVE.
 * @param numbers sequence numbers in the order of the response. The first number is MIN, the last number MAX (RFC 5267, section 3)
 */
export async function sendResult(
  session: FolderSession,
  { uid, return: options }: { uid: boolean; return: Exclude<SearchReturn, null> },
  { highestModseq }: Search,
  numbers: Uint32Array,
): Promise<TaggedResponse> {
  const [min, max] = [numbers[0], numbers.at(-1)];
  const returnsMin = options.includes('MIN');
  const returnsMax = options.includes('MAX');
  const partial = options.find((option) => typeof option === 'object')?.partial ?? null;
  const part = partial === null ? null : partOf(numbers, partial);
  const ends = [
    ...(returnsMin && min !== undefined ? [min] : []),
    ...(returnsMax && max !== undefined ? [max] : []),
  ];
  const isWhole = options.includes('ALL') || options.includes('COUNT');
  const returned = isWhole || (ends.length === 0 && part === null) ? numbers : [...ends, ...(part ?? [])];
  if (options.some((option) => option !== 'SAVE')) {
    const of = (number: number) => (uid ? session.selected.uidAt(number) : number);
    const modseq = await modseqOf(session, returned, numbers, highestModseq);
    const text = formatEsearch(session.tag, uid, {
      min: returnsMin && min !== undefined ? of(min) : null,
      max: returnsMax && max !== undefined ? of(max) : null,
      count: options.includes('COUNT') ? numbers.length : null,
      partial: partial === null ? null : { range: partial, numbers: shown(session, uid, part ?? []) },
      modseq,
    });
    session.output.raw(`* ${text}`);
    if (options.includes('ALL') && numbers.length > 0) {
      session.output.raw(' ALL ');
      await writeSet(session, shown(session, uid, numbers));
    }
    session.output.line('');
  }
  if (options.includes('SAVE') && !save(session, Uint32Array.from(new Set(returned)).sort()))
    return no('NOTSAVED', 'The result has too many ranges to be saved');
  return ok('Searched');
}

/** The results at positions `a` to `b`; negative positions count from the end (RFC 9394, section 3.1). */
function partOf(numbers: Uint32Array, [a, b]: readonly [number, number]): Uint32Array {
  const [first, last] = [Math.min(Math.abs(a), Math.abs(b)), Math.max(Math.abs(a), Math.abs(b))];
  if (a > 0) return numbers.subarray(first - 1, last);
  return numbers.subarray(Math.max(0, numbers.length - last), Math.max(0, numbers.length - first + 1));
}

/** The highest MODSEQ of the returned messages, if the search had a MODSEQ criterion (RFC 7162, section 3.1.10). */
async function modseqOf(
  session: FolderSession,
  returned: Uint32Array | readonly number[],
  all: Uint32Array,
  highest: number | null,
): Promise<number | null> {
  const { selected, services } = session;
  if (highest === null || returned.length === 0) return null;
  if (returned === all) return highest;
  let most = 0;
  const ranges = uidRangesOf(session, Uint32Array.from(returned).sort());
  for (const slice of selected.slices(ranges, FLAGS_AT_A_TIME))
    for (const { modseq } of await services.store.flags(selected.key, slice)) most = Math.max(most, modseq);
  return most || null;
}

function* shown({ selected }: FolderSession, uid: boolean, numbers: Iterable<number>): Generator<number> {
  for (const number of numbers) yield uid ? selected.uidAt(number) : number;
}
