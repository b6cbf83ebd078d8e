import type { FastifyRequest } from 'fastify';
import { encodeId } from '../../../../model/ids.ts';
import type { MailboxKey } from '../../../../store/lock-mailboxes.ts';

const HOST = /^[a-z0-9.:[\]-]{1,255}$/i;

/**
 * The policy of the document that shows a message. The document has no origin, no forms, no frames, no fonts, and no scripts except the one
 * that reports its height. The document may load only embedded images, and the message's images from this service. Links open ordinary
 * pages outside the sandbox.
 * @param script the source expression of the only script; null if no script may run
 */
export function framePolicy(
  request: Pick<FastifyRequest, 'headers'>,
  isSecure: boolean,
  { mailboxId }: MailboxKey,
  objectId: string,
  script: string | null,
): string {
  const { host = '' } = request.headers;
  const origin = HOST.test(host) ? `${isSecure ? 'https' : 'http'}://${host}` : '';
  const images = `${origin}/mail/api/mailboxes/${encodeId('mbx', mailboxId)}/messages/${encodeId('msg', objectId)}/`;
  return [
    `sandbox ${script === null ? '' : 'allow-scripts '}allow-popups allow-popups-to-escape-sandbox`,
    "default-src 'none'",
    ...(script === null ? [] : [`script-src ${script}`]),
    "style-src 'unsafe-inline'",
    `img-src data:${origin === '' ? '' : ` ${images}`}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}
