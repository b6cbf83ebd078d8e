/** Sends the bytes of a download and reports how many were sent. */
import { finished, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import { contentDisposition } from '../mail/messages/send-hostile.ts';
import type { Download } from './download.ts';
import type { RequestedRange } from './range.ts';
import type { DownloadSlot } from './traffic.ts';

/** Time limit for reading each chunk of 64 KiB. Attack: a client that reads a byte now and then occupies a slot forever. */
const STALL_MS = 120_000;

/** Headers that make browsers save a download of any type. A browser must never render the file as a page of this host. */
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
  slot: DownloadSlot;
  /** Called once with the number of bytes sent. */
  ended(sent: number): void;
  /** Called if the file is missing or has the wrong length. The rest of the download is not sent. */
  failed(error: unknown): void;
}

export function sendDownload(
  reply: FastifyReply,
  download: Download,
  { asked: { start, end }, slot, ended, failed }: SendingDownload,
): FastifyReply {
  const controller = new AbortController();
  let sent = 0;
  slot.whenEvicted(() => reply.raw.destroy());
  // Do not wait for the `close` event, which may already have fired if the client disconnected early.
  finished(reply.raw, () => {
    controller.abort();
    slot.leave();
    ended(Math.max(0, sent - reply.raw.writableLength));
  });
  async function* paced(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of download.read(start, end)) {
        await slot.pace(piece.length, controller.signal);
        const stalled = setTimeout(() => reply.raw.destroy(), STALL_MS);
        sent += piece.length;
        try {
          yield piece;
        } finally {
          clearTimeout(stalled);
        }
      }
      // Throw to abort the connection. Otherwise the client would wait for the missing bytes.
      if (sent !== end - start)
        throw new Error('a file-link download is shorter than the size stored in the database');
    } catch (error) {
      // A missing file is no fault if the link was just revoked.
      if (!controller.signal.aborted && !(error instanceof AppError && error.code === 'not-found'))
        failed(error);
      throw error;
    }
  }
  return reply.send(Readable.from(paced(), { objectMode: true, highWaterMark: 1 }));
}
