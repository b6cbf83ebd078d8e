import { isIPv4 } from 'node:net';
import type { TlsMode, TrustedCertificates } from '../../../net/tls.ts';
import type { DialOptions } from './dial.ts';
import type { Timings } from './timings.ts';

/** The server to which all mail is sent. */
export interface SmartHostAddress {
  /** The name or IP address of the server, without brackets. */
  host: string;
  port: number;
  /** Whether TLS starts with the first byte (RFC 8314). False: STARTTLS is used. */
  implicitTls: boolean;
  /** Null, together with `password`, if there is no login. */
  username: string | null;
  password: string | null;
}

/** A server, and how a session with the server is opened. */
export interface SessionHost extends Pick<SmartHostAddress, 'port' | 'implicitTls'> {
  /** The name that people see, and that the certificate must contain. */
  name: string;
  /** The name or IP address to connect to. */
  address: string;
  /** `verified`: no session without verified TLS. `opportunistic`: TLS is used if it works. */
  tls: TlsMode;
  login: { username: string; password: string } | null;
  /**
   * Whether a host that greets with this server's name counts as this server, to prevent mail loops. False for a smart host, because a
   * smart host on this machine has the same name.
   */
  mayBeUs: boolean;
}

export interface SmtpSessionOptions extends Pick<DialOptions, 'lookup'> {
  /** The name in EHLO: this server's domain or address literal. */
  heloName: string;
  timings: Timings;
  /** Default: the certificates that Node trusts. */
  ca?: TrustedCertificates;
}

/** The smart host of a configuration. Credentials are sent only over TLS with a verified certificate, or to this machine itself. */
export function smartHost({ host, port, implicitTls, username, password }: SmartHostAddress): SessionHost {
  const login = username === null || password === null ? null : { username, password };
  const tls = login !== null && !isLoopback(host) ? 'verified' : 'opportunistic';
  return { name: host, address: host, port, implicitTls, tls, login, mayBeUs: false };
}

/** Whether a configured host name or address means this machine. @param host a name or address in lower case */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
