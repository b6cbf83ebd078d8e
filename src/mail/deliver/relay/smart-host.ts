import type { LookupFunction } from 'node:net';
import type { Timings } from './timings.ts';

/** Where all mail goes. */
export interface SmartHostAddress {
  /** Name or address, without brackets. */
  host: string;
  port: number;
  /** TLS from the first byte (RFC 8314), not STARTTLS. */
  implicitTls: boolean;
  /** Null together with `password`: no login. */
  username: string | null;
  password: string | null;
}

export interface SessionOptions {
  /** What EHLO says: this host's domain or address literal. */
  heloName: string;
  timings: Timings;
  /** Absent: the system's resolver. */
  lookup?: LookupFunction | undefined;
}

/** Whether this host may only be used over TLS with its own certificate: it is shown a password. */
export function needsVerifiedTls(address: SmartHostAddress): boolean {
  return address.username !== null && !isLoopback(address.host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
