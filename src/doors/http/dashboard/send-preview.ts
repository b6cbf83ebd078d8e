/** Sends what an email looks like, as a document for a frame. */
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

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

/** In the place of a preview: an error as JSON, in a frame, is nothing for people. */
const LATER =
  '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><p style="font: 14px system-ui; margin: 24px">The preview takes too long at the moment. Reload the page in some seconds.</p>';

/** The preview, or what is said in its place where it takes too long. */
export async function previewOrLater<Preview extends string | null>(
  preview: Promise<Preview>,
): Promise<Preview | string> {
  try {
    return await preview;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return LATER;
    throw error;
  }
}
