import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../../net/client-network.ts';

/** The public URL of the dashboard or the web client. */
export interface Address {
  /** The URL. Null if the setting is not set. Any host name is then accepted. */
  baseUrl: string | null;
  /** The setting that defines the URL. */
  setting: 'POSTHORN_BASE_URL' | 'POSTHORN_MAIL_URL';
  environment: 'development' | 'production';
}

/**
 * Whether the browser uses https, according to the configured URL. Without a URL, the connection or the header from a trusted proxy
 * decides.
 */
export function isSecure(
  { baseUrl }: Pick<Address, 'baseUrl'>,
  { protocol }: Pick<FastifyRequest, 'protocol'>,
): boolean {
  return baseUrl === null ? protocol === 'https' : baseUrl.startsWith('https:');
}

/**
 * Whether a page of this service sent the request. Browsers send the origin of the page with every request other than GET. Attack: another
 * site makes a user's browser send an unwanted request with the user's cookie.
 */
export function isOwnOrigin(
  { baseUrl, environment }: Pick<Address, 'baseUrl' | 'environment'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (baseUrl !== null && origin === new URL(baseUrl).origin) return true;
  // On a trial machine, users open localhost or 127.0.0.1, whatever the configured URL. `isOwnHost` has already checked the host.
  return (baseUrl === null || environment === 'development') && new URL(origin).host === host;
}

/**
 * Whether a session cookie is safe in transit. A cookie is safe over https, on this machine, or if the operator has configured a plain http
 * URL. Attack: an eavesdropper on the network steals the session.
 */
export function allowsSessionCookie(
  address: Pick<Address, 'baseUrl'>,
  request: Pick<FastifyRequest, 'headers' | 'protocol'>,
): boolean {
  if (isSecure(address, request) || address.baseUrl !== null) return true;
  return isThisMachine(request);
}

/**
 * Whether the `Host` header of a request is accepted. In development with a configured URL, only the host of that URL and names of this
 * machine are accepted. In production every host is accepted, because a proxy may change the header. Attack: DNS rebinding. An attacker's
 * host name resolves to this machine. The browser therefore lets the attacker's page read responses, and the page can guess passwords.
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

/** The host in lower case, without the port. An IPv6 address keeps its brackets. */
function hostNameOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
}
