import { isIPv6 } from 'node:net';
import { isLoopback } from '../sending/deliver/smtp/host-address.ts';
import type { Config } from './config.ts';

const WILDCARDS = ['::', '0.0.0.0'];

/** An address at which a client on this machine can reach the ports of this service. */
export function ownAddress({ listen }: Pick<Config, 'listen'>): string {
  const [first = '127.0.0.1'] = listen;
  if (listen.some((address) => WILDCARDS.includes(address))) return '127.0.0.1';
  return listen.find(isLoopback) ?? first;
}

/** The URL of the API: POSTHORN_BASE_URL, or else an address for clients on this machine. */
export function ownUrl({ baseUrl, listen }: Pick<Config, 'baseUrl' | 'listen'>, port: number): string {
  if (baseUrl !== null) return baseUrl;
  const address = ownAddress({ listen });
  const host = address === '127.0.0.1' || address === '::1' ? 'localhost' : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
