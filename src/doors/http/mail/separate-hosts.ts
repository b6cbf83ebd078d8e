/** Serves the web client on its own host (POSTHORN_MAIL_URL). The web client shows hostile mail, so its host serves nothing else. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

/** Paths that programs such as mail apps, load balancers and certificate authorities request at any host. */
const ANYWHERE = /^\/(?:mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml)|\.well-known\/|healthz$|readyz$)/;
/** The web client, and the links to large files that its users send. */
const OF_MAIL = /^\/(?:mail(?:[/?#]|$)|s\/)/;
/** Icons, which are served on both hosts. Pages link to the first. Browsers request the second when they show a file that is not a page. */
const ICONS: readonly string[] = ['/docs/icon.svg', '/favicon.ico'];

/** Returns a hook for `onRequest`. */
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
    // Redirect users with an old URL. API clients are not redirected, because the other host does not receive their cookie.
    if (request.method === 'GET' && !path.startsWith('/mail/api/'))
      return void reply.redirect(mail.origin + url, 302);
    done(nothingHere());
  };
}

/** Decodes the path as the router does. Attack: a request for `/m%61il`, which the router serves as `/mail`. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

function nothingHere(): AppError {
  return new AppError(
    'not-found',
    'Nothing exists at this path on this host. The web client has its own host: see POSTHORN_MAIL_URL.',
  );
}
