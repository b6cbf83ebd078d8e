/** Parts that SEARCH, SORT and THREAD share. */
import * as clock from '../../model/clock.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { SearchKey, SearchReturn } from '../../rfc/imap/command.ts';
import { charsetDecoder } from '../../rfc/imap/search-charset.ts';
import type { UidRange } from '../../store/uid-ranges.ts';
import { type TaggedResponse, no } from './responses.ts';
import { hasModseqCriterion, queryOf } from './search-query.ts';
import type { FolderSession } from './session.ts';

/** Time limit for one SEARCH, SORT or THREAD command. */
const SEARCH_MS = 30_000;
/** The limit on ranges in a saved result. A range takes about 50 bytes. */
const MAX_SAVED = 100_000;
/** How many numbers or ranges are written at a time. */
const WRITTEN_AT_A_TIME = 5_000;

export const TOO_LONG = no('LIMIT', 'The search took too long; search fewer messages');
const TOO_MANY = no('LIMIT', 'Too many searches of your project are waiting; try again later');
/** How many searches of one project may wait for a slot. */
const MAX_WAITING = 100;

/** All messages in the client's list. */
const EVERY = [[1, '*']] as const;

class SearchEnded extends Error {}
class TooManySearches extends Error {}

/**
 * Slots for the searches of all sessions, shared fairly between projects. A third of the database connections stays free for other
 * commands.
 * @param connections the number of database connections for all commands
 */
export function searchSlots(connections: number): FairSlots {
  return new FairSlots({
    slots: Math.max(1, Math.floor((connections * 2) / 3)),
    slotsPerOwner: Math.max(1, Math.floor(connections / 3)),
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () => new TooManySearches(),
  });
}

export interface Search {
  /** Sequence numbers of the matching messages in the client's list, ascending. */
  numbers: Uint32Array;
  /** The highest MODSEQ of the matching messages; null if the search had no MODSEQ criterion. */
  highestModseq: number | null;
  /** Time left for the rest of the command. */
  msLeft(): number;
  /** Throws if the time is over or the client has disconnected. The error ends the command. */
  throwIfEnded(): void;
  /** Runs long database work in a search slot. `work` must not write to the client, which may read slowly. */
  inSlot<T>(work: () => Promise<T>): Promise<T>;
}

interface Searching {
  charset: string | null;
  criteria: SearchKey;
  return?: SearchReturn;
}

/**
 * Runs the search of a command.
 * @param sendResult sends the result of the search to the client
 */
export async function searching(
  session: FolderSession,
  command: Searching,
  sendResult: (search: Search) => Promise<TaggedResponse>,
): Promise<TaggedResponse> {
  const answer = await search(session, command, sendResult);
  // RFC 9051, section 6.4.4.1: a failed search with SAVE clears the saved result.
  if (answer.status === 'NO' && command.return?.includes('SAVE') === true) session.selected.saved = [];
  return answer;
}

async function search(
  session: FolderSession,
  { charset, criteria }: Searching,
  sendResult: (search: Search) => Promise<TaggedResponse>,
): Promise<TaggedResponse> {
  if (charsetDecoder(charset) === null) return no('BADCHARSET (US-ASCII UTF-8)', 'Unsupported charset');
  const { selected, services } = session;
  const endsAt = performance.now() + SEARCH_MS;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new SearchEnded()), SEARCH_MS);
  const throwIfEnded = () => {
    if (session.isOver || performance.now() > endsAt) throw new SearchEnded();
  };
  const inSlot: Search['inSlot'] = (work) => services.searches.run(selected.key.projectId, late.signal, work);
  const hasModseq = hasModseqCriterion(criteria);
  if (hasModseq) session.enabled.add('CONDSTORE');
  try {
    const criteriaQuery = queryOf(criteria, selected, clock.nowMs());
    // The highest MODSEQ must not include messages that are not yet in the client's list.
    const query = hasModseq
      ? { all: [{ uids: selected.resolve(EVERY, true) ?? [] }, criteriaQuery] }
      : criteriaQuery;
    const { uids, highestModseq } = await inSlot(() =>
      services.store.find(selected.key, query, throwIfEnded),
    );
    const numbers = selected.numbersOf(uids);
    const msLeft = () => endsAt - performance.now();
    return await sendResult({
      numbers,
      highestModseq: hasModseq ? highestModseq : null,
      msLeft,
      throwIfEnded,
      inSlot,
    });
  } catch (error) {
    if (error instanceof TooManySearches) return TOO_MANY;
    if (!(error instanceof SearchEnded)) throw error;
    return TOO_LONG;
  } finally {
    clearTimeout(timer);
  }
}

/** Converts sequence numbers to UID ranges that contain no other message in the client's list. @param numbers ascending */
export function uidRangesOf(
  { selected }: FolderSession,
  numbers: Uint32Array | readonly number[],
): UidRange[] {
  const ranges: UidRange[] = [];
  let last = 0;
  for (const number of numbers) {
    const uid = selected.uidAt(number);
    const before = ranges.at(-1);
    if (before !== undefined && number === last + 1) before.last = uid;
    else ranges.push({ first: uid, last: uid });
    last = number;
  }
  return ranges;
}

/** Saves a search result (RFC 5182). @returns false if the result has too many ranges, so that an empty result was saved */
export function save(session: FolderSession, numbers: Uint32Array | readonly number[]): boolean {
  const ranges = uidRangesOf(session, numbers);
  session.selected.saved = ranges.length > MAX_SAVED ? [] : ranges;
  return ranges.length <= MAX_SAVED;
}

/** Writes numbers as a set such as `1:3,7`, without sorting the numbers. */
export async function writeSet(session: FolderSession, numbers: Iterable<number>): Promise<void> {
  let [first, last, ranges] = [0, 0, 0];
  let text = '';
  const add = () => {
    if (last === 0) return;
    text += `${ranges === 0 ? '' : ','}${first === last ? first : `${first}:${last}`}`;
    ranges++;
  };
  for (const number of numbers) {
    if (last !== 0 && number === last + 1) {
      last = number;
      continue;
    }
    add();
    first = last = number;
    if (ranges % WRITTEN_AT_A_TIME !== 0) continue;
    session.output.raw(text);
    text = '';
    if (!(await session.output.drained())) return;
  }
  add();
  session.output.raw(text);
}

/** Writes numbers, each with a space before it: ` 1 2 3`. */
export async function writeNumbers(session: FolderSession, numbers: Iterable<number>): Promise<void> {
  let text = '';
  let count = 0;
  for (const number of numbers) {
    text += ` ${number}`;
    if (++count % WRITTEN_AT_A_TIME !== 0) continue;
    session.output.raw(text);
    text = '';
    if (!(await session.output.drained())) return;
  }
  session.output.raw(text);
}
