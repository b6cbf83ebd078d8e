/** Sends the bytes of a download, and counts them. */
import { finished, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import { contentDisposition } from '../mail/messages/send-hostile.ts';
import type { Download } from './download.ts';
import type { RequestedRange } from './range.ts';
import type { DownloadSlot } from './traffic.ts';

/** Attack: a client that reads a byte now and then occupies a slot forever. Each chunk of 64 KiB must be read within this time. */
const STALL_MS = 120_000;

/** Browsers never render a download in the name of this host: whatever its type, it is saved. */
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
  /** Called if the bytes are missing or not the expected ones. The rest is then not sent. */
  failed(error: unknown): void;
}

/** Responds with the bytes. */
export function sendDownload(
  reply: FastifyReply,
  download: Download,
  { asked: { start, end }, slot, ended, failed }: SendingDownload,
): FastifyReply {
  const controller = new AbortController();
  let sent = 0;
  slot.whenEvicted(() => reply.raw.destroy());
  // Not the `close` event: it may have fired already if the client disconnected early.
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
      // The client must notice that the download broke off, and not wait for the rest.
      if (sent !== end - start) throw new Error('a file of a link is shorter than its row says');
    } catch (error) {
      // The files of a link that was just revoked are missing on purpose.
      if (!controller.signal.aborted && !(error instanceof AppError && error.code === 'not-found'))
        failed(error);
      throw error;
    }
  }
  return reply.send(Readable.from(paced(), { objectMode: true, highWaterMark: 1 }));
}
