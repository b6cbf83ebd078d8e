import type { KnownSet, SequenceSet, SetNumber } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';

/** The maximum number of ranges in a set: as many numbers as fit on a line of 64 KiB. */
const MAX_RANGES = 32_768;
const SET = /[\d*:,]+/y;
const RANGE = /^(\d{1,10}|\*)(?::(\d{1,10}|\*))?$/;
const MAX = 4_294_967_295;

/** Parses a sequence set. @param what a description of the set for error messages */
export function readSequenceSet(cursor: CommandCursor, what = 'a sequence set, such as 1:5'): SequenceSet {
  if (cursor.take('$')) return 'saved';
  const text = cursor.match(SET) ?? cursor.needs(what);
  const ranges = text.split(',', MAX_RANGES + 1);
  if (ranges.length > MAX_RANGES) cursor.fault(`${cursor.command} has more than ${MAX_RANGES} ranges`);
  return ranges.map((range) => {
    const [, first, last] = RANGE.exec(range) ?? cursor.needs(what);
    const from = numberOf(first as string) ?? cursor.needs(what);
    return [from, last === undefined ? from : (numberOf(last) ?? cursor.needs(what))] as const;
  });
}

/** Parses a set of UIDs or sequence numbers from an earlier session of the client, without `*` and `$` (RFC 7162, section 7). */
export function readKnownSet(cursor: CommandCursor, what: string): KnownSet {
  const set = readSequenceSet(cursor, what);
  if (set === 'saved' || !isKnown(set)) cursor.needs(`${what} without * and $`);
  return set;
}

function isKnown(set: Exclude<SequenceSet, 'saved'>): set is KnownSet {
  return set.every((range) => !range.includes('*'));
}

/** Parses a set like `readKnownSet`, with numbers that must be in ascending order (RFC 7162, section 3.2.5.2). */
export function readAscendingSet(cursor: CommandCursor, what: string): KnownSet {
  const set = readKnownSet(cursor, what);
  let before = 0;
  for (const [first, last] of set) {
    if (first <= before || last < first) cursor.needs(`${what} in ascending order`);
    before = last;
  }
  return set;
}

function numberOf(text: string): SetNumber | null {
  if (text === '*') return '*';
  const value = Number(text);
  return value >= 1 && value <= MAX ? value : null;
}
