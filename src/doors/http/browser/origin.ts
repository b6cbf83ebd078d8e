import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../../net/client-network.ts';

/** The public URL of the dashboard or the web client. */
export interface Address {
  /** The URL. Null if any host name is accepted. */
  baseUrl: string | null;
  /** The setting that defines the URL. */
  setting: 'POSTHORN_BASE_URL' | 'POSTHORN_MAIL_URL';
  environment: 'development' | 'production';
}

/** Whether the browser uses https: by the configured URL, otherwise by the connection or the header of a trusted proxy. */
export function isSecure(
  { baseUrl }: Pick<Address, 'baseUrl'>,
  { protocol }: Pick<FastifyRequest, 'protocol'>,
): boolean {
  return baseUrl === null ? protocol === 'https' : baseUrl.startsWith('https:');
}

/**
 * Whether one of our pages sent the request: browsers send the page's origin with every request other than GET. Attack: another site makes
 * a user's browser send an unwanted request with the user's cookie.
 */
export function isOwnOrigin(
  { baseUrl, environment }: Pick<Address, 'baseUrl' | 'environment'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (baseUrl !== null && origin === new URL(baseUrl).origin) return true;
  // On a trial machine people use localhost or 127.0.0.1, whatever the configured URL. `isOwnHost` has checked the host.
  return (baseUrl === null || environment === 'development') && new URL(origin).host === host;
}

/**
 * Whether a cookie is safe in transit: over https, on this machine, or where the operator has configured a plain http URL. Attack: an
 * eavesdropper on the network steals the session.
 */
export function allowsSessionCookie(
  address: Pick<Address, 'baseUrl'>,
  request: Pick<FastifyRequest, 'headers' | 'protocol'>,
): boolean {
  if (isSecure(address, request) || address.baseUrl !== null) return true;
  return isThisMachine(request);
}

/**
 * Whether the `Host` of a request is ours: in development with a configured URL, the host of that URL or a name of this machine. In
 * production a proxy may change it. Attack: a foreign name that resolves here makes the browser treat our responses as responses of a
 * foreign page (DNS rebinding), which can then guess passwords.
 */
export function isOwnHost(
  { baseUrl, environment }: Pick<Address, 'baseUrl' | 'environment'>,
  request: Pick<FastifyRequest, 'headers'>,
): boolean {
  if (environment === 'production' || baseUrl === null) return true;
  return hostNameOf(request) === new URL(baseUrl).hostname || isThisMachine(request);
}

function isThisMachine(request: Pick<FastifyRequest, 'headers'>): boolean {
  const host = hostNameOf(request);
  return isLoopback(host.replace(/^\[|\]$/g, '')) || host === 'localhost' || host.endsWith('.localhost');
}

/** The host in lower case without the port. An IPv6 address is in brackets. */
function hostNameOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
}
