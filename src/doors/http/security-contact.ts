/** Serves `/.well-known/security.txt` (RFC 9116), the contact for reports of vulnerabilities in this installation. */
import type { FastifyInstance } from 'fastify';
import { now } from '../../model/clock.ts';
import { AppError } from '../../model/app-error.ts';
import { DAY_MS } from '../../model/day.ts';

/** How long the file is valid. RFC 9116, section 2.5.5, recommends less than a year. */
const VALID_DAYS = 180;

export interface SecurityContact {
  /** POSTHORN_SECURITY_CONTACT, a URI such as `mailto:security@acme.example`. Null if the file is not served. */
  contact: string | null;
  /** The base URL, without a trailing slash. Null if the file has no canonical URL. */
  baseUrl: string | null;
}

export function addSecurityContact(app: FastifyInstance, { contact, baseUrl }: SecurityContact): void {
  app.get('/.well-known/security.txt', async (_request, reply) => {
    if (contact === null) throw new AppError('not-found', 'Nothing exists at this path. Check the URL.');
    const today = Math.floor(now().getTime() / DAY_MS) * DAY_MS;
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${new Date(today + VALID_DAYS * DAY_MS).toISOString()}`,
      'Preferred-Languages: en',
      // RFC 9116, section 3: the file is valid only at an https URL.
      ...(baseUrl?.startsWith('https:') === true
        ? [`Canonical: ${new URL(baseUrl).origin}/.well-known/security.txt`]
        : []),
    ];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}
