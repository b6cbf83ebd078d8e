import type { FastifyRequest } from 'fastify';
import { encodeId } from '../../../../model/ids.ts';
import type { MailboxKey } from '../../../../store/lock-mailboxes.ts';

const HOST = /^[a-z0-9.:[\]-]{1,255}$/i;

/**
 * Of the document of a message: no scripts, no origin, no forms, no frames, no fonts; images are those that stand in it and those of the message
 * through this service. Links open pages of their own, which have all that pages have.
 */
export function framePolicy(
  request: Pick<FastifyRequest, 'headers'>,
  isSecure: boolean,
  { mailboxId }: MailboxKey,
  objectId: string,
): string {
  const { host = '' } = request.headers;
  const origin = HOST.test(host) ? `${isSecure ? 'https' : 'http'}://${host}` : '';
  const images = `${origin}/mail/api/mailboxes/${encodeId('mbx', mailboxId)}/messages/${encodeId('msg', objectId)}/`;
  return [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${origin === '' ? '' : ` ${images}`}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}
