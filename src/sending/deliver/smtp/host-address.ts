import { isIPv4 } from 'node:net';
import type { TlsMode, TrustedCertificates } from '../../../net/tls.ts';
import type { DialOptions } from './dial.ts';
import type { Timings } from './timings.ts';

/** The server that all mail goes to. */
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

/** A server that a session is opened with, and how. */
export interface SessionHost extends Pick<SmartHostAddress, 'port' | 'implicitTls'> {
  /** For people, and what the certificate is for. */
  name: string;
  /** What is dialled: a name or an address. */
  address: string;
  /** `verified`: no session without TLS. `opportunistic`: TLS where that works. */
  tls: TlsMode;
  login: { username: string; password: string } | null;
  /**
   * Whether a host that greets with this server's name counts as this server: mail to it would go in circles. False for a
   * smart host: on this machine it has the same name.
   */
  mayBeUs: boolean;
}

export interface SmtpSessionOptions extends Pick<DialOptions, 'lookup'> {
  /** What EHLO says: this host's domain or address literal. */
  heloName: string;
  timings: Timings;
  /** Default: those of Node. */
  ca?: TrustedCertificates;
}

/** Credentials leave this process only over TLS with a verified certificate, or to this machine itself. */
export function smartHost({ host, port, implicitTls, username, password }: SmartHostAddress): SessionHost {
  const login = username === null || password === null ? null : { username, password };
  const tls = login !== null && !isLoopback(host) ? 'verified' : 'opportunistic';
  return { name: host, address: host, port, implicitTls, tls, login, mayBeUs: false };
}

/** Whether a host, as configured, is this machine by its name or address. @param host in lower case */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
