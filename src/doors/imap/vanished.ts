import { formatSet } from '../../rfc/imap/format-numbers.ts';
import { disjoint, type UidRange } from '../../store/uid-ranges.ts';
import type { Output } from './output.ts';

/** The limit on ranges in a VANISHED (EARLIER) line. */
const MAX_RANGES = 1_000;
/** The limit on UIDs in a VANISHED line. */
const MAX_UIDS = 5_000;

/** The part of a session that sends lines. */
interface Sender {
  output: Pick<Output, 'line' | 'drained'>;
}

/** Sends VANISHED for messages that were removed from the client's list (RFC 7162, section 3.2.10). @param uids ascending */
export async function sendVanished({ output }: Sender, uids: Uint32Array): Promise<void> {
  for (let at = 0; at < uids.length; at += MAX_UIDS) {
    output.line(`* VANISHED ${formatSet(uids.subarray(at, at + MAX_UIDS))}`);
    if (!(await output.drained())) return;
  }
}

/** Sends VANISHED (EARLIER) for messages expunged since the MODSEQ in the command (RFC 7162, section 3.2.10.1). */
export async function sendVanishedEarlier({ output }: Sender, expunged: readonly UidRange[]): Promise<void> {
  // Adjacent UIDs become one range, even if they were expunged at different times.
  const joined = disjoint(expunged);
  for (let at = 0; at < joined.length; at += MAX_RANGES) {
    const ranges = joined
      .slice(at, at + MAX_RANGES)
      .map(({ first, last }) => (first === last ? first : `${first}:${last}`));
    output.line(`* VANISHED (EARLIER) ${ranges.join(',')}`);
    if (!(await output.drained())) return;
  }
}
