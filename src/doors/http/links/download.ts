/** Downloads of a link: one file, or all files as a zip. */
import { hash } from 'node:crypto';
import { cutZip, layoutZip } from '../../../rfc/zip/stored-zip.ts';
import type { ReadFile } from '../../../file-links/read-file.ts';
import type { OpenedLink } from '../../../file-links/open/opened-link.ts';
import type { LinkRequest } from '../../../file-links/open/link-door.ts';
import type { OfferedFile } from './offered-file.ts';

/** Bytes to download, which never change. */
export interface Download {
  requested: LinkRequest;
  /** The suggested file name. */
  name: string;
  octets: number;
  /** An identifier of these bytes for the ETag. No other bytes have the same tag. */
  tag: string;
  /** Reads the bytes from `start` up to but not including `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** Maximum size of a chunk. Chunks are small, so that other downloads can be served between two chunks. */
const PIECE_BYTES = 64 * 1024;

export function fileDownload(link: OpenedLink, { file, name }: OfferedFile, readFile: ReadFile): Download {
  return {
    requested: file.position,
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
    requested: null,
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
