import type { Config } from './config.ts';
import { isLoopback } from '../sending/deliver/smtp/host-address.ts';

/**
 * Whether the smart host listens on this machine at the port for reports. In that case the role smtp must not open that port, and bounces
 * are sent to the smart host.
 */
export function isUsedBySmartHost({ smartHost, smtpPort }: Pick<Config, 'smartHost' | 'smtpPort'>): boolean {
  return smartHost?.port === smtpPort && isLoopback(smartHost.host.toLowerCase());
}
