/** The attachments of a message as one zip, written while it is sent. */
import { crc32 } from 'node:zlib';
import type { OpenBlob } from '../../../blobs/blobs.ts';
import { distinctNames, layoutZip } from '../../../rfc/zip/stored-zip.ts';
import { partBytes } from '../../../store/parts/part-bytes.ts';
import type { ReadPart } from '../read-message.ts';

export interface ZippedFiles {
  octets: number;
  /** Ends early if the message is deleted while it is read. */
  bytes: AsyncIterable<Buffer>;
}

/** The octets of a message that are read at once, because a message may have hundreds of small files. */
const WINDOW = 1_048_576;

/**
 * Zips files without compressing them, because most attachments are compressed already. Reads them twice: first for their sizes and checksums,
 * so that the length of the zip is known, then for their bytes.
 * @param files in the order of the message, with safe names
 * @param at the modification time of the files
 */
export async function zipFiles(
  blob: OpenBlob,
  files: readonly ReadPart[],
  at: Date,
): Promise<ZippedFiles | null> {
  const windowed = inWindows(blob);
  const names = distinctNames(files.map(({ name }) => name));
  const entries = [];
  for (const [index, file] of files.entries()) {
    let [sum, octets] = [0, 0];
    for await (const piece of partBytes(windowed, file)) {
      sum = crc32(piece, sum);
      octets += piece.length;
    }
    entries.push({ name: names[index] ?? file.name, octets, crc32: sum, at });
  }
  const layout = layoutZip(entries);
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const piece of layout.pieces) {
      if ('bytes' in piece) yield piece.bytes;
      else yield* partBytes(windowed, files[piece.entry] as ReadPart);
    }
  }
  return { octets: layout.octets, bytes: bytes() };
}

/** Reads a blob in windows and keeps the last one. */
function inWindows(blob: OpenBlob): Pick<OpenBlob, 'read'> {
  let last: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  return {
    async read({ start, end } = { start: 0, end: blob.size }) {
      const isInside = start >= last.start && end <= last.start + last.bytes.length;
      if (!isInside) {
        const bytes = await blob.read({ start, end: Math.min(blob.size, Math.max(end, start + WINDOW)) });
        if (bytes === null) return null;
        last = { start, bytes };
      }
      return last.bytes.subarray(start - last.start, end - last.start);
    },
  };
}
