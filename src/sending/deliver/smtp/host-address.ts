import { isIPv4 } from 'node:net';
import type { TlsMode, TrustedCertificates } from '../../../net/tls.ts';
import type { DialOptions } from './dial.ts';
import type { Timings } from './timings.ts';

/** The server that all mail is sent to. */
export interface SmartHostAddress {
  /** Name or address, without brackets. */
  host: string;
  port: number;
  /** TLS from the first byte (RFC 8314), not STARTTLS. */
  implicitTls: boolean;
  /** Null together with `password` for no login. */
  username: string | null;
  password: string | null;
}

/** A server, and how to open a session with it. */
export interface SessionHost extends Pick<SmartHostAddress, 'port' | 'implicitTls'> {
  /** The name shown to people, and expected in the certificate. */
  name: string;
  /** The name or address to connect to. */
  address: string;
  /** `verified`: no session without verified TLS. `opportunistic`: TLS if it works. */
  tls: TlsMode;
  login: { username: string; password: string } | null;
  /**
   * Whether a host that greets with this server's name counts as this server, to prevent mail loops. False for a smart
   * host, which has the same name if it runs on this machine.
   */
  mayBeUs: boolean;
}

export interface SmtpSessionOptions extends Pick<DialOptions, 'lookup'> {
  /** The name in EHLO: this host's domain or address literal. */
  heloName: string;
  timings: Timings;
  /** Default: Node's certificates. */
  ca?: TrustedCertificates;
}

/** Credentials are sent only over TLS with a verified certificate, or to this machine itself. */
export function smartHost({ host, port, implicitTls, username, password }: SmartHostAddress): SessionHost {
  const login = username === null || password === null ? null : { username, password };
  const tls = login !== null && !isLoopback(host) ? 'verified' : 'opportunistic';
  return { name: host, address: host, port, implicitTls, tls, login, mayBeUs: false };
}

/** Whether a configured host name or address is this machine. @param host in lower case */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
