/** Sends what an email looks like, as a document for a frame. */
import type { FastifyReply } from 'fastify';

/**
 * Whatever the markup is, nothing of it runs, is sent, or leads away, and it has no origin. Styles stand in the message; images come
 * with it, unless those of elsewhere were asked for.
 */
function policy(remote: boolean): string {
  return [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${remote ? ' https: http:' : ''}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** @param remote whether images of other hosts are loaded */
export function sendPreview(reply: FastifyReply, preview: string, remote: boolean): FastifyReply {
  return reply
    .headers({
      'content-security-policy': policy(remote),
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(preview);
}
