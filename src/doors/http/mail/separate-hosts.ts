/** The web client on a host of its own (POSTHORN_MAIL_URL): hostile mail is shown there, so nothing else is. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

/** What programs ask any host for: mail apps, load balancers, certificate authorities. */
const ANYWHERE = /^\/(?:mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml)|\.well-known\/|healthz$|readyz$)/;
/** The client, and the links to large files that people send with it. */
const OF_MAIL = /^\/(?:mail(?:[/?#]|$)|s\/)/;
/** The pages have it in their head; of what is no page browsers ask for the other. */
const ICONS: readonly string[] = ['/docs/icon.svg', '/favicon.ico'];

/** A hook for `onRequest`. */
export function separateHosts(mailUrl: string) {
  const mail = new URL(mailUrl);
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const { url } = request;
    if (ANYWHERE.test(url)) return done();
    const path = asRouted(url);
    const isMail = OF_MAIL.test(path);
    if (request.hostname.toLowerCase() === mail.hostname) {
      if (isMail || ICONS.includes(url)) return done();
      if (url === '/' && request.method === 'GET') return void reply.redirect('/mail', 302);
      return done(nothingHere());
    }
    if (!isMail) return done();
    // Somebody has an old address; a program, whose cookie is of the other host, does not follow.
    if (request.method === 'GET' && !path.startsWith('/mail/api/'))
      return void reply.redirect(mail.origin + url, 302);
    done(nothingHere());
  };
}

/** Attack: `/m%61il`, which the router takes for what it says. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function nothingHere(): AppError {
  return new AppError('not-found', 'There is nothing at this address of this host (POSTHORN_MAIL_URL).');
}
