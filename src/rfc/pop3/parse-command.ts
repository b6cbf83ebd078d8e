/**
 * Parses POP3 commands as a server (RFC 1939; RFC 2449, section 3; RFC 2595, section 4; RFC 6856, section 2.1). AUTH is the command
 * from RFC 5034: `AUTH mechanism [initial response]`. AUTH without arguments lists the mechanisms, for clients without support for CAPA.
 */

const BARE_VERBS = ['CAPA', 'NOOP', 'QUIT', 'RSET', 'STAT', 'STLS', 'UTF8'] as const;
const LISTING_VERBS = ['LIST', 'UIDL'] as const;
const MESSAGE_VERBS = ['DELE', 'RETR'] as const;

export type Pop3Command =
  | { verb: (typeof BARE_VERBS)[number] }
  | { verb: 'USER'; name: string }
  /** `password` is all text after the first space, because a password may contain spaces (RFC 1939, section 7). */
  | { verb: 'PASS'; password: string }
  /** `mechanism` is in upper case, or null to list the mechanisms. `initialResponse` is in base64, or null if the command has none. */
  | { verb: 'AUTH'; mechanism: string | null; initialResponse: string | null }
  /** `message` is null if the command is about all messages. */
  | { verb: (typeof LISTING_VERBS)[number]; message: number | null }
  | { verb: (typeof MESSAGE_VERBS)[number]; message: number }
  | { verb: 'TOP'; message: number; lines: number };

/**
 * `unknown`: the command is not supported. `malformed`: the line is not a command. `arguments`: the arguments are invalid; `rule` says what
 * the command needs.
 */
export type Pop3Fault = { fault: 'unknown' | 'malformed' } | { fault: 'arguments'; rule: string };

const ILLEGIBLE = /[\p{Cc}\p{Cs}\ufffd]/u;
const LINE = /^([A-Za-z0-9]{3,4})(?: (.*))?$/;
/** A message number or a number of lines. A number that no message can have is still valid syntax. */
const NUMBER = /^\d{1,10}$/;
const AUTH = /^([A-Za-z0-9_-]{1,20})(?: ([A-Za-z0-9+/=]+))?$/;

/** @param line the command without CRLF, decoded from UTF-8, with U+FFFD for invalid octets, which are rejected (RFC 6856, section 2.2) */
export function parsePop3Command(line: string): Pop3Command | Pop3Fault {
  if (ILLEGIBLE.test(line)) return { fault: 'malformed' };
  const [, name, rest] = LINE.exec(line) ?? [];
  const verb = name?.toUpperCase();
  if (verb === 'PASS')
    return rest === undefined || rest === '' ? syntaxFault('PASS password') : { verb, password: rest };
  return parseOther(verb, rest?.trim() ?? '');
}

function syntaxFault(syntax: string): Pop3Fault {
  return { fault: 'arguments', rule: `Syntax: ${syntax}` };
}

function parseOther(verb: string | undefined, rest: string): Pop3Command | Pop3Fault {
  const bare = BARE_VERBS.find((known) => known === verb);
  if (bare !== undefined)
    return rest === '' ? { verb: bare } : { fault: 'arguments', rule: `${bare} takes no arguments` };
  const listing = LISTING_VERBS.find((known) => known === verb);
  if (listing !== undefined && rest === '') return { verb: listing, message: null };
  const about = listing ?? MESSAGE_VERBS.find((known) => known === verb);
  if (about !== undefined)
    return NUMBER.test(rest)
      ? { verb: about, message: Number(rest) }
      : syntaxFault(`${about} ${listing === undefined ? 'message-number' : '[message-number]'}`);
  if (verb === 'TOP') return parseTop(rest);
  if (verb === 'AUTH') return parseAuth(rest);
  if (verb !== 'USER') return { fault: verb === undefined ? 'malformed' : 'unknown' };
  return rest === '' ? syntaxFault('USER name') : { verb, name: rest };
}

function parseTop(rest: string): Pop3Command | Pop3Fault {
  const [message = '', lines = '', more] = rest.split(/ +/);
  if (!NUMBER.test(message) || !NUMBER.test(lines) || more !== undefined)
    return syntaxFault('TOP message-number number-of-lines');
  return { verb: 'TOP', message: Number(message), lines: Number(lines) };
}

function parseAuth(rest: string): Pop3Command | Pop3Fault {
  if (rest === '') return { verb: 'AUTH', mechanism: null, initialResponse: null };
  const [, mechanism, initialResponse = null] = AUTH.exec(rest) ?? [];
  if (mechanism === undefined) return syntaxFault('AUTH [mechanism [initial-response in base64]]');
  return { verb: 'AUTH', mechanism: mechanism.toUpperCase(), initialResponse };
}
