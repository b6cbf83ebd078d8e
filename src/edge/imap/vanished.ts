import { disjoint, type UidRange } from '../../store/uid-ranges.ts';
import type { Session } from './session.ts';

/** Ranges of one line. */
const MAX_RANGES = 1_000;

/** VANISHED (EARLIER): messages that went while the client was away, or before the MODSEQ that it asked about (RFC 7162, section 3.2.10.1). */
export async function sayVanishedEarlier({ output }: Session, gone: readonly UidRange[]): Promise<void> {
  // What went one after the other is one range, as in every other set.
  const joined = disjoint(gone);
  for (let at = 0; at < joined.length; at += MAX_RANGES) {
    const ranges = joined
      .slice(at, at + MAX_RANGES)
      .map(({ first, last }) => (first === last ? first : `${first}:${last}`));
    output.line(`* VANISHED (EARLIER) ${ranges.join(',')}`);
    if (!(await output.room())) return;
  }
}
