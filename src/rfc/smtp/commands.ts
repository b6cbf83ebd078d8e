/**
 * Writes the commands of an SMTP client (RFC 5321, section 4.1), each with CRLF. The functions return null for a value that cannot be
 * written safely. Attack: untrusted input injects a command or a parameter.
 */
import { type DsnRequest, writeMailRequest, writeRcptRequest } from './dsn-parameters.ts';

/** The maximum size of an address in octets: local part, @ and domain (RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.2). */
const MAX_PATH = 64 + 1 + 255;

/** A dot-string (with dots at any position, as in some real addresses) or quoted string, `@`, and a domain or an address literal. */
const MAILBOX =
  /^(?:[^\p{Cc}\p{Cs}\s()<>[\]:;@\\,"]+|"(?:[^\p{Cc}\p{Cs}"\\]|\\[\x20-\x7e])*")@(?:[^\p{Cc}\p{Cs}\s()<>[\]:;@\\,"]+|\[[0-9A-Za-z:.-]+\])$/u;
const ASCII = /^[\x20-\x7e]*$/;
const HELO_NAME = /^(?:[0-9A-Za-z_.-]{1,255}|\[[0-9A-Za-z:.]{1,64}\])$/;

export interface MailCommandParameters {
  /** The size of the message in octets; null if the server does not offer SIZE (RFC 1870). */
  size: number | null;
  /** Whether the message has octets above 127 and the server offers 8BITMIME (RFC 6152). */
  eightBitMime: boolean;
  /** Whether the message requires SMTPUTF8, so that addresses may be non-ASCII (RFC 6531). */
  smtpUtf8: boolean;
  /** The sender's DSN request, if the server supports DSN (RFC 3461). Default: no request. */
  dsn?: DsnRequest | null;
}

/** MAIL. @param mailFrom the sender, without angle brackets; empty for the null reverse-path */
export function mailCommand(mailFrom: string, parameters: MailCommandParameters): string | null {
  if (mailFrom !== '' && !isPath(mailFrom, parameters.smtpUtf8)) return null;
  const size = parameters.size === null ? '' : ` SIZE=${parameters.size}`;
  const body = parameters.eightBitMime ? ' BODY=8BITMIME' : '';
  const utf8 = parameters.smtpUtf8 ? ' SMTPUTF8' : '';
  const dsn = parameters.dsn == null ? '' : writeMailRequest(parameters.dsn);
  return `MAIL FROM:<${mailFrom}>${size}${body}${utf8}${dsn}\r\n`;
}

/**
 * RCPT.
 * @param rcptTo the recipient, without angle brackets
 * @param dsn see `MailCommandParameters`
 */
export function rcptCommand(rcptTo: string, smtpUtf8: boolean, dsn: DsnRequest | null = null): string | null {
  if (!isPath(rcptTo, smtpUtf8)) return null;
  return `RCPT TO:<${rcptTo}>${dsn === null ? '' : writeRcptRequest(dsn, rcptTo)}\r\n`;
}

/** EHLO or HELO. @param name the domain or address literal of this host */
export function greetCommand(verb: 'EHLO' | 'HELO', name: string): string | null {
  return HELO_NAME.test(name) ? `${verb} ${name}\r\n` : null;
}

/** The SASL PLAIN response (RFC 4616) as one base64 line, without CRLF. Null if a value contains a NUL, which PLAIN cannot represent. */
export function plainResponse(username: string, password: string): string | null {
  return `${username}${password}`.includes('\0') ? null : base64(`\0${username}\0${password}`);
}

/** One response in AUTH LOGIN, without CRLF. */
export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function isPath(address: string, smtpUtf8: boolean): boolean {
  return Buffer.byteLength(address) <= MAX_PATH && (smtpUtf8 || ASCII.test(address)) && MAILBOX.test(address);
}
