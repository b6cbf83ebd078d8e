import { formatSet } from '../../rfc/imap/format-numbers.ts';
import { disjoint, type UidRange } from '../../store/uid-ranges.ts';
import type { Output } from './output.ts';

/** Ranges of one line. */
const MAX_RANGES = 1_000;
/** UIDs of one line. */
const MAX_UIDS = 5_000;

/** The session that says it. */
interface Said {
  output: Pick<Output, 'line' | 'room'>;
}

/** VANISHED: messages that have gone from the list of the client (RFC 7162, section 3.2.10). @param uids ascending */
export async function sayVanished({ output }: Said, uids: Uint32Array): Promise<void> {
  for (let at = 0; at < uids.length; at += MAX_UIDS) {
    output.line(`* VANISHED ${formatSet(uids.subarray(at, at + MAX_UIDS))}`);
    if (!(await output.room())) return;
  }
}

/** VANISHED (EARLIER): messages that went while the client was away, or before the MODSEQ that it asked about (RFC 7162, section 3.2.10.1). */
export async function sayVanishedEarlier({ output }: Said, gone: readonly UidRange[]): Promise<void> {
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
