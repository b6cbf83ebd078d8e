import { isIPv4 } from 'node:net';
import type { Config } from '../config.ts';

/**
 * Whether the port for reports is where the smart host listens on this machine: then it is not ours to take, and the
 * smart host is who hears of bounces.
 */
export function isTakenBySmartHost({ smartHost, smtpPort }: Pick<Config, 'smartHost' | 'smtpPort'>): boolean {
  if (smartHost === null || smartHost.port !== smtpPort) return false;
  const { host } = smartHost;
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
