import type { OpenBlob } from '../../blobs/blobs.ts';
import { partBytes } from '../../webmail/read/parts/part-bytes.ts';
import type { ReadPart } from '../../webmail/read/read-message.ts';

/** The decoded octets of a part. */
export async function partOctets(raw: Buffer, part: ReadPart): Promise<Buffer> {
  const blob: Pick<OpenBlob, 'read'> = {
    read: async ({ start, end } = { start: 0, end: raw.length }) => raw.subarray(start, end),
  };
  return Buffer.concat(await Array.fromAsync(partBytes(blob, part)));
}
