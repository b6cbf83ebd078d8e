/** What SEARCH, SORT and THREAD have in common. */
import * as clock from '../../model/clock.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { SearchKey, SearchReturn } from '../../rfc/imap/command.ts';
import { charsetDecoder } from '../../rfc/imap/search-charset.ts';
import type { UidRange } from '../../store/uid-ranges.ts';
import { type TaggedResponse, no } from './responses.ts';
import { asksModseq, queryOf } from './search-query.ts';
import type { FolderSession } from './session.ts';

/** For one command. What takes longer is refused. */
const SEARCH_MS = 30_000;
/** Of a result that is saved: each is some 50 bytes. */
const MAX_SAVED = 100_000;
/** Ranges that are written at a time. */
const WRITTEN_AT_A_TIME = 5_000;

export const TOO_LONG = no('LIMIT', 'This takes too long; search in fewer messages');
const TOO_MANY = no('LIMIT', 'Too many searches of your project are waiting; try again later');
/** Of one project. */
const MAX_WAITING = 100;

/** All that the client knows. */
const EVERY = [[1, '*']] as const;

class SearchEnded extends Error {}
class TooManySearches extends Error {}

/**
 * Searches of all sessions, which projects take turns at: the other commands find a connection whatever is searched.
 * @param connections how many there are for all commands
 */
export function searchSlots(connections: number): FairSlots {
  return new FairSlots({
    places: Math.max(1, Math.floor((connections * 2) / 3)),
    placesOfOne: Math.max(1, Math.floor(connections / 3)),
    maxWaitingOfOne: MAX_WAITING,
    refusal: () => new TooManySearches(),
  });
}

export interface Search {
  /** Of the messages that were found, ascending: of those alone that the client knows. */
  numbers: Uint32Array;
  /** Of all of them; null: nobody asked. */
  highestModseq: number | null;
  /** How long the rest of the command may take. */
  msLeft(): number;
  /** Ends the command when its time is over, or the client is gone. */
  tick(): void;
  /** For what asks the database for long: nothing is said to the client in there, who may take it slowly. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

interface Searching {
  charset: string | null;
  criteria: SearchKey;
  return?: SearchReturn;
}

/**
 * Does what a command does with what its search finds.
 * @param tell called with what was found
 */
export async function searching(
  session: FolderSession,
  command: Searching,
  tell: (search: Search) => Promise<TaggedResponse>,
): Promise<TaggedResponse> {
  const answer = await search(session, command, tell);
  // RFC 9051, section 6.4.4.1: what fails saves nothing, and what was saved before is no more.
  if (answer.status === 'NO' && command.return?.includes('SAVE') === true) session.selected.saved = [];
  return answer;
}

async function search(
  session: FolderSession,
  { charset, criteria }: Searching,
  tell: (search: Search) => Promise<TaggedResponse>,
): Promise<TaggedResponse> {
  if (charsetDecoder(charset) === null) return no('BADCHARSET (US-ASCII UTF-8)', 'There is no such charset');
  const { selected, services } = session;
  const endsAt = performance.now() + SEARCH_MS;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new SearchEnded()), SEARCH_MS);
  const tick = () => {
    if (session.isOver || performance.now() > endsAt) throw new SearchEnded();
  };
  const inTurn: Search['inTurn'] = (work) => services.searches.run(selected.key.projectId, late.signal, work);
  const hasModseq = asksModseq(criteria);
  if (hasModseq) session.enabled.add('CONDSTORE');
  try {
    const asked = queryOf(criteria, selected, clock.nowMs());
    // The MODSEQ of the answer is that of messages that are in it, and none that the client has not heard of.
    const query = hasModseq ? { all: [{ uids: selected.resolve(EVERY, true) ?? [] }, asked] } : asked;
    const { uids, highestModseq } = await inTurn(() => services.store.find(selected.key, query, tick));
    const numbers = selected.numbersOf(uids);
    const msLeft = () => endsAt - performance.now();
    return await tell({ numbers, highestModseq: hasModseq ? highestModseq : null, msLeft, tick, inTurn });
  } catch (error) {
    if (error instanceof TooManySearches) return TOO_MANY;
    if (!(error instanceof SearchEnded)) throw error;
    return TOO_LONG;
  } finally {
    clearTimeout(timer);
  }
}

/** Ranges of UIDs with these messages, and no others that the client knows. @param numbers ascending */
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

/** Remembers a result (RFC 5182). @returns false: it has too many pieces */
export function save(session: FolderSession, numbers: Uint32Array | readonly number[]): boolean {
  const ranges = uidRangesOf(session, numbers);
  session.selected.saved = ranges.length > MAX_SAVED ? [] : ranges;
  return ranges.length <= MAX_SAVED;
}

/** Writes a set in the order of its numbers, `1:3,7`. */
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
    if (!(await session.output.room())) return;
  }
  add();
  session.output.raw(text);
}

/** Writes ` 1 2 3`. */
export async function writeNumbers(session: FolderSession, numbers: Iterable<number>): Promise<void> {
  let text = '';
  let count = 0;
  for (const number of numbers) {
    text += ` ${number}`;
    if (++count % WRITTEN_AT_A_TIME !== 0) continue;
    session.output.raw(text);
    text = '';
    if (!(await session.output.room())) return;
  }
  session.output.raw(text);
}
