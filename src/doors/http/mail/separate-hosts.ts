/** Serves the web client on a host of its own (POSTHORN_MAIL_URL). The client shows hostile mail, so nothing else is on that host. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

/** Paths that programs request from any host: mail apps, load balancers, certificate authorities. */
const ANYWHERE = /^\/(?:mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml)|\.well-known\/|healthz$|readyz$)/;
/** The web client, and the links to large files that its users send. */
const OF_MAIL = /^\/(?:mail(?:[/?#]|$)|s\/)/;
/** Pages link to the first icon; for other files browsers request the second. */
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
    // A user has an old URL. API clients are not redirected: their cookie belongs to the other host.
    if (request.method === 'GET' && !path.startsWith('/mail/api/'))
      return void reply.redirect(mail.origin + url, 302);
    done(nothingHere());
  };
}

/** Decodes the path like the router. Attack: `/m%61il`, which the router reads as `/mail`. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function nothingHere(): AppError {
  return new AppError('not-found', 'There is nothing at this path on this host (POSTHORN_MAIL_URL).');
}
