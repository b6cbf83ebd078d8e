/** Verifies an ARC chain with an independent library. */
import { arc } from 'mailauth/lib/arc/index.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/**
 * @param record the DKIM record for the key that made all seals in the chain
 * @returns the result and the number of ARC sets, such as `pass 2`
 */
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
