/**
 * Sends content written by strangers so that browsers cannot run it. The content has no scripts and no origin, browsers do not guess its
 * type, shared caches do not store it, and its requests do not reveal the URLs of this service.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

interface HostileAnswer {
  /** The Content-Type of the response. Never pass on the type that the message declares. */
  type: string;
  /** A Content-Security-Policy that allows more than the default policy, which allows nothing. */
  policy?: string;
  /** Whether a frame without an origin loads the content. The signed URL of the content then proves access. */
  isForFrame?: boolean;
  /** The file name under which the browser saves the content. Null if the browser shows the content. */
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
      // In a frame without an origin, even images from the same host are cross-site.
      'cross-origin-resource-policy': isForFrame ? 'cross-origin' : 'same-origin',
      // A cached copy would stay readable after the user has signed out.
      'cache-control': 'private, no-store',
      ...(saveAs !== null && { 'content-disposition': contentDisposition(saveAs) }),
    })
    .type(type);
  return reply.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body));
}

/** The value of Content-Disposition (RFC 6266; RFC 8187 for names outside ASCII). @param name a safe file name without path separators */
export function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
