/**
 * Answers with what others wrote, so that a browser makes nothing of it but what it is: no scripts, no origin, no guesses at types, nothing kept by
 * caches of others, and no address of ours in what it asks for.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

interface HostileAnswer {
  /** Its Content-Type: never as the message has it. */
  type: string;
  /** What it may do, beside nothing. */
  policy?: string;
  /** A frame without an origin shows it: who may is proved by its address. */
  isForFrame?: boolean;
  /** Saved under this name in place of shown; null: shown. */
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
      // The document of a frame without an origin is of another site to its images.
      'cross-origin-resource-policy': isForFrame ? 'cross-origin' : 'same-origin',
      // What a browser keeps is still there when nobody is signed in any more.
      'cache-control': 'private, no-store',
      ...(saveAs !== null && { 'content-disposition': contentDisposition(saveAs) }),
    })
    .type(type);
  return reply.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body));
}

/** RFC 6266, with RFC 8187 for what is not ASCII. @param name without anything that leads elsewhere */
export function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
