import type { CommandCursor } from './command-cursor.ts';

const RANGE = /(-?)(\d{1,10}):\1(\d{1,10})(?!\d)/y;
const MAX = 4_294_967_295;

/** Parses `partial-range`, whose numbers are both positive or both negative (RFC 9394, section 4). */
export function readPartialRange(cursor: CommandCursor): readonly [number, number] {
  const what = 'a range of results, such as 1:100 or -1:-100';
  const [first = 0, last = 0] = (cursor.match(RANGE) ?? cursor.needs(what)).split(':').map(Number);
  const isRight = [first, last].every((number) => number !== 0 && Math.abs(number) <= MAX);
  return isRight ? [first, last] : cursor.needs(what);
}
