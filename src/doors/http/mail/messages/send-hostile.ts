/**
 * Sends content written by strangers, so that a browser cannot run it: no scripts, no origin, no guessed types, no storage in shared caches,
 * and no URL of ours in the requests that it makes.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

interface HostileAnswer {
  /** The Content-Type: never the one declared in the message. */
  type: string;
  /** A Content-Security-Policy that allows more than the default, which allows nothing. */
  policy?: string;
  /** Whether the content is shown in a frame without an origin. Its signed URL then proves access. */
  isForFrame?: boolean;
  /** The file name under which the browser saves the content. Null if the content is shown. */
  saveAs: string | null;
}

const NOTHING = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export function sendHostile(
  reply: FastifyReply,
  body: string | Buffer | AsyncIterable<Buffer>,
  { type, policy = NOTHING, isForFrame = false, saveAs }: HostileAnswer,
): FastifyReply {
  reply
    .headers({
      'content-security-policy': policy,
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      // For a frame without an origin, even its own images are on another site.
      'cross-origin-resource-policy': isForFrame ? 'cross-origin' : 'same-origin',
      // A cached copy would remain readable after sign-out.
      'cache-control': 'private, no-store',
      ...(saveAs !== null && { 'content-disposition': contentDisposition(saveAs) }),
    })
    .type(type);
  return reply.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body));
}

/** RFC 6266, with RFC 8187 for non-ASCII names. @param name must be safe as a file name, without path separators */
export function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
