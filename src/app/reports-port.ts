import type { Config } from './config.ts';
import { isLoopback } from '../sending/deliver/smtp/host-address.ts';

/**
 * Whether the port for reports is where the smart host listens on this machine: then it is not ours to take, and the
 * smart host is who hears of bounces.
 */
export function isTakenBySmartHost({ smartHost, smtpPort }: Pick<Config, 'smartHost' | 'smtpPort'>): boolean {
  return smartHost?.port === smtpPort && isLoopback(smartHost.host.toLowerCase());
}
