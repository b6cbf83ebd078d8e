/** Serves pages only over https if the public URL of the service is https (RFC 6797). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

/** One year, in seconds. */
const HSTS = 'max-age=31536000';
/** The start page and the pages of the documentation, the dashboard and the web client. */
const PAGE = /^\/(?:$|[?#]|(?:dashboard|mail|docs)(?:[/?#]|$))/;
const OF_MAIL = /^\/mail(?:[/?#]|$)/;
/**
 * Paths that are not redirected, because programs request them. Programs do not resend a body after a redirect, and mail apps request
 * their settings from host names that have no certificate.
 */
const OF_PROGRAMS = /^\/(?:(?:dashboard|mail)\/api(?:[/?#]|$)|mail\/(?:setup(?:[/?]|$)|config-v1\.1\.xml))/;

export interface HttpsOnlyOptions {
  /** POSTHORN_BASE_URL. Null if the setting is not set. Without the setting, no request is redirected. */
  baseUrl: string | null;
  /** POSTHORN_MAIL_URL. Null if the web client is at a path below POSTHORN_BASE_URL. */
  mailUrl: string | null;
  /** Logs one warning if an untrusted proxy claims that its clients use https. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * Returns a hook for `onRequest`. If the public URL is https, the hook redirects GET and HEAD requests for a page over plain http to the
 * public URL with 308, and adds `Strict-Transport-Security` to responses over https. A request is https if its own connection has TLS, or
 * if a trusted proxy says so in `X-Forwarded-Proto`. Attack: a user types a password into a page loaded over plain http, and everyone on
 * the network path reads the password.
 */
export function httpsOnly({ baseUrl, mailUrl, logger }: HttpsOnlyOptions) {
  const base = isHttps(baseUrl) ? baseUrl : null;
  const mail = isHttps(mailUrl) ? new URL(mailUrl ?? '').origin : null;
  const mailHost = mailUrl === null ? null : new URL(mailUrl).hostname;

  let hasWarned = false;

  /** The https URL to redirect to. Null if the request is served without a redirect. */
  function secureAddress({ method, url, hostname }: FastifyRequest): string | null {
    const path = asRouted(url);
    if ((method !== 'GET' && method !== 'HEAD') || !PAGE.test(path) || OF_PROGRAMS.test(path)) return null;
    const isOnMailHost = mailHost !== null && hostname.toLowerCase() === mailHost;
    // The host of the web client serves only pages of the web client.
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

/** Decodes the path as the router does. Attack: a request for `/d%61shboard`, which the router serves as `/dashboard`. */
function asRouted(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
