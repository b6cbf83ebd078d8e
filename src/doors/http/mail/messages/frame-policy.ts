import type { FastifyRequest } from 'fastify';
import { encodeId } from '../../../../model/ids.ts';
import type { MailboxKey } from '../../../../store/lock-mailboxes.ts';

const HOST = /^[a-z0-9.:[\]-]{1,255}$/i;

/**
 * The policy of the document that shows a message. The document has no scripts, no origin, no forms, no frames and no fonts. The document
 * may load only embedded images, and the message's images from this service. Links open ordinary pages outside the sandbox.
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
