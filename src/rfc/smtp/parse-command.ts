/**
 * Commands as a server reads them (RFC 5321, section 4.1). Strict, except for what clients in use send: a space after
 * `FROM:` and `TO:`, spaces at the end of a line, and a source route, which is to be ignored (section 4.1.1.3).
 */

const BARE_VERBS = ['DATA', 'RSET', 'QUIT', 'STARTTLS'] as const;
/** An argument of these commands is ignored. */
const TALKATIVE_VERBS = ['NOOP', 'HELP', 'VRFY', 'EXPN'] as const;

export type SmtpCommand =
  /** `name` as the client gives it: a domain or an address literal, or anything without a space. */
  | { verb: 'EHLO' | 'HELO'; name: string }
  /**
   * Paths are without angle brackets. The size is in octets, null where none is declared (RFC 1870). `isUtf8`: addresses and
   * header fields may go beyond ASCII (RFC 6531).
   */
  | { verb: 'MAIL'; reversePath: string; size: number | null; isUtf8: boolean }
  /** RFC 3030. The octets follow the command. */
  | { verb: 'BDAT'; octets: number; isLast: boolean }
  | { verb: 'RCPT'; forwardPath: string }
  | { verb: (typeof BARE_VERBS)[number] | (typeof TALKATIVE_VERBS)[number] };

/**
 * `unknown`: a command that is not served. `malformed`: a line that is no command, such as one with a control character.
 * `arguments`: the command takes others. `parameter`: a parameter of MAIL or RCPT that is not offered.
 */
export type CommandFault = { fault: 'unknown' | 'malformed' | 'arguments' | 'parameter' };

const ILLEGIBLE = /[\p{Cc}\p{Cs}\ufffd]/u;
const LINE = /^([A-Za-z]{4,8})(?: (.*))?$/;
const HELO_NAME = /^[^ ]+$/;
/** A path, with its source route apart. A quoted local part may hold a bracket. */
const PATH = /^ ?<(?:@[^<>:" ]+:)?((?:[^<>" ]|"(?:[^"\\]|\\.)*")*)>(?: (.*))?$/;
const BDAT = /^(\d{1,15})( LAST)?$/i;
const SIZE = /^\d{1,20}$/;
const ASCII = /^[\x20-\x7e]*$/;

/** @param line without its CRLF, decoded from UTF-8, with U+FFFD for octets that are no UTF-8 */
export function parseCommand(line: string): SmtpCommand | CommandFault {
  if (ILLEGIBLE.test(line)) return { fault: 'malformed' };
  const [, name, rest = ''] = LINE.exec(line.trimEnd()) ?? [];
  const verb = name?.toUpperCase();
  if (verb === 'EHLO' || verb === 'HELO')
    return HELO_NAME.test(rest) ? { verb, name: rest } : { fault: 'arguments' };
  if (verb === 'MAIL') return parseMail(rest);
  if (verb === 'RCPT') return parseRcpt(rest);
  if (verb === 'BDAT') return parseBdat(rest);
  const bare = BARE_VERBS.find((known) => known === verb);
  if (bare !== undefined) return rest === '' ? { verb: bare } : { fault: 'arguments' };
  const talkative = TALKATIVE_VERBS.find((known) => known === verb);
  return talkative === undefined ? { fault: 'unknown' } : { verb: talkative };
}

function parseMail(rest: string): SmtpCommand | CommandFault {
  const [, reversePath, parameters] = pathAfter('FROM:', rest) ?? [];
  if (reversePath === undefined) return { fault: 'arguments' };
  const seen = new Map<string, string | undefined>();
  for (const parameter of (parameters ?? '').split(/ +/).filter((text) => text !== '')) {
    const [, keyword = '', value] = /^([^=]*)(?:=(.*))?$/.exec(parameter) ?? [];
    if (seen.has(keyword.toUpperCase())) return { fault: 'arguments' };
    seen.set(keyword.toUpperCase(), value);
  }
  for (const [keyword, value] of seen) {
    if (keyword === 'SIZE' ? !SIZE.test(value ?? '') : keyword === 'BODY' && !isBody(value))
      return { fault: 'arguments' };
    if (keyword === 'SMTPUTF8' ? value !== undefined : keyword !== 'SIZE' && keyword !== 'BODY')
      return { fault: 'parameter' };
  }
  // RFC 6531, section 3.4: the parameter is what allows such an address.
  if (!ASCII.test(reversePath) && !seen.has('SMTPUTF8')) return { fault: 'arguments' };
  const size = seen.get('SIZE');
  const isUtf8 = seen.has('SMTPUTF8');
  return { verb: 'MAIL', reversePath, size: size === undefined ? null : Number(size), isUtf8 };
}

/** RFC 6152. */
function isBody(value: string | undefined): boolean {
  return value !== undefined && /^(?:7BIT|8BITMIME)$/i.test(value);
}

function parseRcpt(rest: string): SmtpCommand | CommandFault {
  const [, forwardPath, parameters] = pathAfter('TO:', rest) ?? [];
  if (forwardPath === undefined || forwardPath === '') return { fault: 'arguments' };
  return (parameters ?? '').trim() === '' ? { verb: 'RCPT', forwardPath } : { fault: 'parameter' };
}

function parseBdat(rest: string): SmtpCommand | CommandFault {
  const [, octets, last] = BDAT.exec(rest) ?? [];
  if (octets === undefined) return { fault: 'arguments' };
  return { verb: 'BDAT', octets: Number(octets), isLast: last !== undefined };
}

function pathAfter(label: string, text: string): RegExpExecArray | null {
  return text.slice(0, label.length).toUpperCase() === label ? PATH.exec(text.slice(label.length)) : null;
}
