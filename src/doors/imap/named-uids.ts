import type { SequenceSet } from '../../rfc/imap/command.ts';
import { disjoint, type UidRange } from '../../store/uid-ranges.ts';

/** The UIDs in a set, as ascending, disjoint ranges, with or without messages. @param last value of `*`, and upper bound of the result */
export function namedUids(set: Exclude<SequenceSet, 'saved'>, last: number): UidRange[] {
  return disjoint(
    set
      .map(([a, b]) => [a === '*' ? last : a, b === '*' ? last : b] as const)
      .map(([a, b]) => ({ first: Math.min(a, b), last: Math.min(Math.max(a, b), last) }))
      .filter((range) => range.first <= range.last),
  );
}
