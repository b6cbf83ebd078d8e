/** Sends the preview of an email as a document for a frame. */
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

/**
 * The policy of the preview, a document without an origin. Whatever its markup, the document runs no scripts, submits no forms and cannot
 * navigate away. Styles are inline. Images are embedded, and images from other hosts load only if the user requested them.
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

/** @param remote whether images from other hosts load */
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

/** The page shown in place of a preview that takes too long. A JSON error would be unreadable in a frame. */
const LATER =
  '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><p style="font: 14px system-ui; margin: 24px">The preview is taking too long. Reload the page in a few seconds.</p>';

/** Returns the preview, or the page `LATER` if the preview takes too long. */
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
