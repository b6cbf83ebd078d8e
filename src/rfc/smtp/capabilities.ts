import type { SmtpReply } from './reply.ts';

/** The extensions that a server offers in its reply to EHLO (RFC 5321, section 4.1.1.1). Unknown keywords are ignored. */
export interface Capabilities {
  /** Whether PIPELINING is offered (RFC 2920). */
  readonly pipelining: boolean;
  /** Whether STARTTLS is offered (RFC 3207). */
  readonly startTls: boolean;
  /** The limit on message size, in octets (RFC 1870). 0 if SIZE is offered without a limit, null if SIZE is not offered. */
  readonly size: number | null;
  /** Whether 8BITMIME is offered (RFC 6152). */
  readonly eightBitMime: boolean;
  /** Whether SMTPUTF8 is offered (RFC 6531). */
  readonly smtpUtf8: boolean;
  /** Whether DSN is offered (RFC 3461). */
  readonly dsn: boolean;
  /** The AUTH mechanisms in upper case, in the order of the reply (RFC 4954). */
  readonly authMechanisms: readonly string[];
}

export function parseCapabilities(reply: SmtpReply): Capabilities {
  // The first line contains the name of the server and never an extension.
  const offers = reply.lines.slice(1).map((line) => line.trim().toUpperCase().split(/ +/));
  const keywords = new Set(offers.map(([keyword]) => keyword));
  return {
    pipelining: keywords.has('PIPELINING'),
    startTls: keywords.has('STARTTLS'),
    size: readSize(offers.find(([keyword]) => keyword === 'SIZE')),
    eightBitMime: keywords.has('8BITMIME'),
    smtpUtf8: keywords.has('SMTPUTF8'),
    dsn: keywords.has('DSN'),
    authMechanisms: [...new Set(offers.flatMap(readMechanisms))],
  };
}

/** The capabilities of a server that was greeted with HELO: no extensions. */
export const NO_CAPABILITIES: Capabilities = parseCapabilities({ code: 250, lines: [] });

function readSize(offer: string[] | undefined): number | null {
  if (offer === undefined) return null;
  // A limit has up to 20 digits (RFC 1870, section 4). An invalid value counts as "no limit", because the server itself will reject a
  // message that is too large.
  const limit = /^\d{1,20}$/.test(offer[1] ?? '') ? Number(offer[1]) : 0;
  return Number.isSafeInteger(limit) ? limit : 0;
}

/** Reads the AUTH mechanisms. Servers wrote `AUTH=` before RFC 2554, and some servers still write both forms. */
function readMechanisms([keyword = '', ...parameters]: string[]): string[] {
  if (keyword === 'AUTH') return parameters;
  return keyword.startsWith('AUTH=')
    ? [keyword.slice('AUTH='.length), ...parameters].filter((name) => name !== '')
    : [];
}
