import { partBytes } from '../../store/parts/part-bytes.ts';
import type { ReadPart } from '../../webmail/read/read-message.ts';

/** The decoded octets of a part. */
export async function partOctets(raw: Buffer, part: ReadPart): Promise<Buffer> {
  const read = async ({ start, end } = { start: 0, end: raw.length }) => raw.subarray(start, end);
  const pieces: Buffer[] = [];
  for await (const piece of partBytes({ read }, part)) pieces.push(piece);
  return Buffer.concat(pieces);
}
