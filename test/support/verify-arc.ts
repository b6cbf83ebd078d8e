/** What an independent verifier says of an ARC chain. */
import { arc } from 'mailauth/lib/arc/index.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/** @param record of the one key that all seals were made with @returns such as `pass 2`: the result, and how many sets there are */
export async function verifyArc(message: Buffer, record: string): Promise<string> {
  const resolver = async () => [[record]];
  const { arc: data } = await dkimVerify(message, {
    resolver,
    minBitLength: 1_024,
    sender: 'nobody@invalid.invalid',
  });
  const { chain, lastEntry, error } = data ?? {};
  const sets = { chain: chain || [], ...(lastEntry && { lastEntry }), ...(error && { error }) };
  const { status } = await arc(sets, { resolver, minBitLength: 1_024 });
  return `${status.result} ${(chain || []).length}`;
}
