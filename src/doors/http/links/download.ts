/** One file of a link, or all of them as a zip, as the answer to a request. */
import { hash } from 'node:crypto';
import { cutZip, layoutZip } from '../../../rfc/zip/stored-zip.ts';
import type { ReadFile } from '../../../file-links/read-file.ts';
import type { OpenedLink } from '../../../file-links/open/opened-link.ts';
import type { LinkRequest } from '../../../file-links/open/link-door.ts';
import type { OfferedFile } from './offered-file.ts';

/** Bytes that somebody may download. They never change. */
export interface Download {
  wanted: LinkRequest;
  /** What it is saved as. */
  name: string;
  octets: number;
  /** Names the bytes, in the ETag: no other bytes have it. */
  tag: string;
  /** From `start` up to and not including `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Small pieces: between them it is the turn of others. */
const PIECE_BYTES = 64 * 1024;

export function fileDownload(link: OpenedLink, { file, name }: OfferedFile, readFile: ReadFile): Download {
  return {
    wanted: file.position,
    name,
    octets: file.octets,
    tag: tagOf([file.id]),
    read: (start, end) => inPieces(readFile({ projectId: link.projectId, id: file.id }, { start, end })),
  };
}

export function zipDownload(link: OpenedLink, files: readonly OfferedFile[], readFile: ReadFile): Download {
  const layout = layoutZip(
    files.map(({ name, file: { octets, crc32, wholeAt } }) => ({
      name,
      octets,
      crc32,
      at: wholeAt ?? new Date(0),
    })),
  );
  async function* read(start: number, end: number): AsyncGenerator<Buffer> {
    for (const piece of cutZip(layout, start, end)) {
      const file = 'entry' in piece ? files[piece.entry]?.file : undefined;
      if ('bytes' in piece) yield piece.bytes;
      else if (file !== undefined) yield* readFile({ projectId: link.projectId, id: file.id }, piece);
    }
  }
  return {
    wanted: null,
    name: 'files.zip',
    octets: layout.octets,
    tag: tagOf(files.flatMap(({ file, name }) => [file.id, name])),
    read: (start, end) => inPieces(read(start, end)),
  };
}

async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of bytes)
    for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
}

function tagOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
