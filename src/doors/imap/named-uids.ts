import type { SequenceSet } from '../../rfc/imap/command.ts';
import { disjoint, type UidRange } from '../../store/uid-ranges.ts';

/**
 * Resolves a set of UIDs to ascending, disjoint ranges. Not every UID in them has a message.
 * @param last the value of `*`; higher UIDs are left out of the result
 */
export function namedUids(set: Exclude<SequenceSet, 'saved'>, last: number): UidRange[] {
  return disjoint(
    set
      .map(([a, b]) => [a === '*' ? last : a, b === '*' ? last : b] as const)
      .map(([a, b]) => ({ first: Math.min(a, b), last: Math.min(Math.max(a, b), last) }))
      .filter((range) => range.first <= range.last),
  );
}
