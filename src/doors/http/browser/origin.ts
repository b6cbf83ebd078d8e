import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../../net/client-network.ts';

/** Where browsers find an application of ours. */
export interface Address {
  /** Null: whatever the browser calls the host. */
  baseUrl: string | null;
  /** The variable that says so. */
  setting: 'POSTHORN_BASE_URL' | 'POSTHORN_MAIL_URL';
  environment: 'development' | 'production';
}

/** Whether the browser came by https. A proxy that is trusted says so where no address is set. */
export function isSecure(
  { baseUrl }: Pick<Address, 'baseUrl'>,
  { protocol }: Pick<FastifyRequest, 'protocol'>,
): boolean {
  return baseUrl === null ? protocol === 'https' : baseUrl.startsWith('https:');
}

/**
 * Whether a page of ours sent the request: browsers name the origin of the page with everything that is no GET. Attack: a page of somebody
 * else makes the browser of a user send what the user never wanted, with their cookie.
 */
export function isOwnOrigin(
  { baseUrl, environment }: Pick<Address, 'baseUrl' | 'environment'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (baseUrl !== null && origin === new URL(baseUrl).origin) return true;
  // On a machine for trying out people say localhost or 127.0.0.1, whatever links begin with. `isOwnHost` has judged the host.
  return (baseUrl === null || environment === 'development') && new URL(origin).host === host;
}

/**
 * Whether a cookie is safe on its way: by https, on this machine, or where the operator has said that the address is a plain one. Attack:
 * whoever listens in between has the session.
 */
export function allowsSessionCookie(
  address: Pick<Address, 'baseUrl'>,
  request: Pick<FastifyRequest, 'headers' | 'protocol'>,
): boolean {
  if (isSecure(address, request) || address.baseUrl !== null) return true;
  return isThisMachine(request);
}

/**
 * Whether the `Host` of a request is ours: in development with an address set, the host of that address or a name of this machine. In
 * production a proxy may change it. Attack: a foreign name that leads here makes a browser take answers for those of a foreign page (DNS
 * rebinding), which can then guess passwords.
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

/** In lower case, without the port. An IPv6 address is in brackets. */
function hostNameOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
}
