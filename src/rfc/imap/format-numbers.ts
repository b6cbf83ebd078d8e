/** Message numbers in responses (RFC 9051, section 9: sequence-set, esearch-response; RFC 4731, 7162, 9394). */

/** Writes a set in the given order, with consecutive numbers as ranges: `1:3,7`. Empty if there are no numbers. */
export function formatSet(numbers: Iterable<number>): string {
  let set = '';
  let first = 0;
  let last = 0;
  const close = () =>
    last === 0 ? '' : `${set === '' ? '' : ','}${first === last ? first : `${first}:${last}`}`;
  for (const number of numbers) {
    if (last !== 0 && number === last + 1) {
      last = number;
      continue;
    }
    set += close();
    first = last = number;
  }
  return set + close();
}

/** The result of a search. The response omits absent, null and empty members, except an empty `partial`, which is written as NIL. */
export interface SearchNumbers {
  min?: number | null;
  max?: number | null;
  count?: number | null;
  /** All matching numbers, in the order of the response. */
  all?: Iterable<number> | null;
  partial?: { range: readonly [first: number, last: number]; numbers: Iterable<number> } | null;
  modseq?: number | null;
}

/** Writes an ESEARCH response. @param tag the tag of the command @returns the response without `* ` */
export function formatEsearch(tag: string, uid: boolean, found: SearchNumbers): string {
  let text = `ESEARCH (TAG "${tag}")${uid ? ' UID' : ''}`;
  const { min, max, count, all, partial, modseq } = found;
  if (min != null) text += ` MIN ${min}`;
  if (max != null) text += ` MAX ${max}`;
  if (count != null) text += ` COUNT ${count}`;
  const set = all == null ? '' : formatSet(all);
  if (set !== '') text += ` ALL ${set}`;
  if (partial != null)
    text += ` PARTIAL (${partial.range[0]}:${partial.range[1]} ${formatSet(partial.numbers) || 'NIL'})`;
  if (modseq != null) text += ` MODSEQ ${modseq}`;
  return text;
}
