/** Pages over https alone, where the address of the service is https (RFC 6797). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

/** For one year, in seconds. */
const HSTS = 'max-age=31536000';
/** The start page, and the pages of the documentation and of both applications. */
const PAGE = /^\/(?:$|[?#]|(?:dashboard|mail|docs)(?:[/?#]|$))/;
const OF_MAIL = /^\/mail(?:[/?#]|$)/;
/** Programs do not follow a redirect with what they send, and mail apps ask for settings at names without a certificate. */
const OF_PROGRAMS = /^\/(?:(?:dashboard|mail)\/api(?:[/?#]|$)|mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml))/;

export interface HttpsOnlyOptions {
  /** POSTHORN_BASE_URL; null: unknown, and nothing is redirected. */
  baseUrl: string | null;
  /** POSTHORN_MAIL_URL; null: the web client is below the other. */
  mailUrl: string | null;
  /** Gets a warning, once, when a proxy that is not trusted says that its clients came by https. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A hook for `onRequest`: GET and HEAD of a page over plain http are answered with 308 to the address of the service, if that is https, and
 * answers over https carry `Strict-Transport-Security`. Https is the connection itself, or what a trusted proxy says in `X-Forwarded-Proto`.
 * Attack: a password is typed into a page that came over plain http, and everyone on the way reads it.
 */
export function httpsOnly({ baseUrl, mailUrl, logger }: HttpsOnlyOptions) {
  const base = isHttps(baseUrl) ? baseUrl : null;
  const mail = isHttps(mailUrl) ? new URL(mailUrl ?? '').origin : null;
  const mailHost = mailUrl === null ? null : new URL(mailUrl).hostname;

  let hasWarned = false;

  /** Null: the request is answered as it is. */
  function secureAddress({ method, url, hostname }: FastifyRequest): string | null {
    const path = asRouted(url);
    if ((method !== 'GET' && method !== 'HEAD') || !PAGE.test(path) || OF_PROGRAMS.test(path)) return null;
    const isOnMailHost = mailHost !== null && hostname.toLowerCase() === mailHost;
    // Of the other pages the host of the web client has none.
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

/** Attack: `/d%61shboard`, which the router reads as the plain path. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
