/** Serves pages only over https if the public URL of the service is https (RFC 6797). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

/** One year, in seconds. */
const HSTS = 'max-age=31536000';
/** The start page and the pages of the documentation, the dashboard and the web client. */
const PAGE = /^\/(?:$|[?#]|(?:dashboard|mail|docs)(?:[/?#]|$))/;
const OF_MAIL = /^\/mail(?:[/?#]|$)/;
/** Paths that are not redirected: programs do not resend a body after a redirect, and mail apps request settings from names without a certificate. */
const OF_PROGRAMS = /^\/(?:(?:dashboard|mail)\/api(?:[/?#]|$)|mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml))/;

export interface HttpsOnlyOptions {
  /** POSTHORN_BASE_URL. Null if the setting is not set; nothing is redirected then. */
  baseUrl: string | null;
  /** POSTHORN_MAIL_URL; null if the web client is below POSTHORN_BASE_URL. */
  mailUrl: string | null;
  /** Receives one warning if an untrusted proxy claims that its clients use https. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A hook for `onRequest`: redirects GET and HEAD of a page over plain http with 308 to the public URL if that is https, and adds
 * `Strict-Transport-Security` to responses over https. A request is https by its own connection, or by the `X-Forwarded-Proto` of a trusted
 * proxy. Attack: a user types a password into a page loaded over plain http, and everyone on the network path reads it.
 */
export function httpsOnly({ baseUrl, mailUrl, logger }: HttpsOnlyOptions) {
  const base = isHttps(baseUrl) ? baseUrl : null;
  const mail = isHttps(mailUrl) ? new URL(mailUrl ?? '').origin : null;
  const mailHost = mailUrl === null ? null : new URL(mailUrl).hostname;

  let hasWarned = false;

  /** The https URL to redirect to; null if the request is served as it is. */
  function secureAddress({ method, url, hostname }: FastifyRequest): string | null {
    const path = asRouted(url);
    if ((method !== 'GET' && method !== 'HEAD') || !PAGE.test(path) || OF_PROGRAMS.test(path)) return null;
    const isOnMailHost = mailHost !== null && hostname.toLowerCase() === mailHost;
    // The web client's host serves only mail pages.
    if (isOnMailHost && !OF_MAIL.test(path) && !/^\/(?:$|[?#])/.test(path)) return null;
    const target = mailHost !== null && (isOnMailHost || OF_MAIL.test(path)) ? mail : base;
    return target === null ? null : target + url;
  }

  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.protocol === 'https') {
      if (base !== null) reply.header('strict-transport-security', HSTS);
      return done();
    }
    const address = secureAddress(request);
    if (address === null) return done();
    if (!hasWarned && request.headers['x-forwarded-proto'] === 'https') {
      hasWarned = true;
      logger.warn({ address: request.socket.remoteAddress }, LOG_MESSAGES.redirectedBehindProxy);
    }
    reply.redirect(address, 308);
  };
}

function isHttps(url: string | null): boolean {
  return url?.startsWith('https:') === true;
}

/** Decodes the path like the router. Attack: `/d%61shboard`, which the router reads as the plain path. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
