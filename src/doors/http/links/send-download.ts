/** Sends the bytes of a download, and counts what went out. */
import { finished, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import { contentDisposition } from '../mail/messages/send-hostile.ts';
import type { Download } from './download.ts';
import type { RequestedRange } from './range.ts';
import type { DownloadSlot } from './traffic.ts';

/** Attack: a reader who takes a byte now and then holds a place for ever. Each piece of 64 KiB has to be taken within this. */
const STALL_MS = 120_000;

/** Nothing of it is ever shown by a browser in the name of this host: whatever it is, it is bytes to be saved. */
const HEADERS = {
  'content-type': 'application/octet-stream',
  'content-security-policy':
    "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'accept-ranges': 'bytes',
} as const;

export function downloadHeaders(
  { name, octets }: Download,
  asked: RequestedRange,
  etag: string,
): Record<string, string> {
  return {
    ...HEADERS,
    etag,
    'content-disposition': contentDisposition(name),
    'content-length': String(asked.end - asked.start),
    ...(asked.status === 206 && { 'content-range': `bytes ${asked.start}-${asked.end - 1}/${octets}` }),
  };
}

interface SendingDownload {
  asked: RequestedRange;
  place: DownloadSlot;
  /** Told once how many bytes went out. */
  ended(sent: number): void;
  /** The bytes are not here, or not those that were sent: the rest of them does not go out. */
  failed(error: unknown): void;
}

/** Answers with the bytes. */
export function sendDownload(
  reply: FastifyReply,
  download: Download,
  { asked: { start, end }, place, ended, failed }: SendingDownload,
): FastifyReply {
  const gone = new AbortController();
  let given = 0;
  place.whenEvicted(() => reply.raw.destroy());
  // Not `close`: of a client that has gone already it may have been before.
  finished(reply.raw, () => {
    gone.abort();
    place.leave();
    ended(Math.max(0, given - reply.raw.writableLength));
  });
  async function* paced(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of download.read(start, end)) {
        await place.pace(piece.length, gone.signal);
        const stalled = setTimeout(() => reply.raw.destroy(), STALL_MS);
        given += piece.length;
        try {
          yield piece;
        } finally {
          clearTimeout(stalled);
        }
      }
      // The client has to see that it broke off, and not wait for the rest.
      if (given !== end - start) throw new Error('a file of a link is shorter than its row says');
    } catch (error) {
      // Of a link that was revoked meanwhile they are gone on purpose.
      if (!gone.signal.aborted && !(error instanceof AppError && error.code === 'not-found')) failed(error);
      throw error;
    }
  }
  return reply.send(Readable.from(paced(), { objectMode: true, highWaterMark: 1 }));
}
