/**
 * Parses commands as a server (RFC 5321, section 4.1). Strict, but accepts a space after `FROM:` and `TO:` and spaces at the end of a line,
 * which real clients send, and a source route, which must be ignored (RFC 5321, section 4.1.1.3).
 */
import {
  decodeXtext,
  readEnvelopeId,
  readNotify,
  readOriginalRecipient,
  readReturns,
} from './dsn-parameters.ts';

const BARE_VERBS = ['DATA', 'RSET', 'QUIT', 'STARTTLS'] as const;
/** Commands whose arguments are ignored. */
const TALKATIVE_VERBS = ['NOOP', 'HELP', 'VRFY', 'EXPN'] as const;

export type SmtpCommand =
  /** `name` is unchanged: a domain, an address literal, or any other text without a space. */
  | { verb: 'EHLO' | 'HELO'; name: string }
  /**
   * Paths have no angle brackets. `size` is in octets, or null if the client declares no size (RFC 1870). `isUtf8` means that addresses and
   * header fields may contain non-ASCII characters (RFC 6531).
   */
  | ({ verb: 'MAIL'; reversePath: string; size: number | null; isUtf8: boolean } & MailParameters)
  /** The octets of the chunk follow the command (RFC 3030). */
  | { verb: 'BDAT'; octets: number; isLast: boolean }
  | ({ verb: 'RCPT'; forwardPath: string } & RcptParameters)
  /** `initialResponse` is still encoded, or null if the client sent no initial response (RFC 4954, section 4). */
  | { verb: 'AUTH'; mechanism: string; initialResponse: string | null }
  | { verb: (typeof BARE_VERBS)[number] | (typeof TALKATIVE_VERBS)[number] };

/** Parameters of MAIL for authenticated clients. The port for mail from other servers does not offer these parameters. */
export interface MailParameters {
  /** RET and ENVID, decoded (RFC 3461). Null if the parameter is missing. */
  returns: 'full' | 'headers' | null;
  envelopeId: string | null;
  /** Whether the parameter AUTH is present (RFC 4954, section 5). The value, which names the author, is ignored. */
  hasAuthor: boolean;
}

/** Parameters of RCPT for authenticated clients. */
export interface RcptParameters {
  /** Bits of `NOTIFY`. Null if the parameter is missing. */
  notify: number | null;
  /** ORCPT, decoded, as `address-type;address`. Null if the parameter is missing. */
  originalRecipient: string | null;
}

/**
 * `unknown`: the command is not supported. `malformed`: the line is not a command, for example because of a control character.
 * `arguments`: the arguments are invalid. `parameter`: a parameter of MAIL or RCPT is not offered.
 */
export type SmtpCommandFault = { fault: 'unknown' | 'malformed' | 'arguments' | 'parameter' };

const ILLEGIBLE = /[\p{Cc}\p{Cs}\ufffd]/u;
const LINE = /^([A-Za-z]{4,8})(?: (.*))?$/;
const HELO_NAME = /^[^ ]+$/;
/** A path in angle brackets. Captures the address without the source route. A quoted local part may contain a bracket. */
const PATH = /^ ?<(?:@[^<>:" ]+:)?((?:[^<>" ]|"(?:[^"\\]|\\.)*")*)>(?: (.*))?$/;
const AUTH = /^([A-Za-z0-9_-]{1,20})(?: (=|[A-Za-z0-9+/]+=*))?$/;
const BDAT = /^(\d{1,15})( LAST)?$/i;
const SIZE = /^\d{1,20}$/;
const ASCII = /^[\x20-\x7e]*$/;

/** @param line the command without CRLF, decoded from UTF-8, with U+FFFD for invalid octets */
export function parseCommand(line: string): SmtpCommand | SmtpCommandFault {
  if (ILLEGIBLE.test(line)) return { fault: 'malformed' };
  const [, name, rest = ''] = LINE.exec(line.trimEnd()) ?? [];
  const verb = name?.toUpperCase();
  if (verb === 'EHLO' || verb === 'HELO')
    return HELO_NAME.test(rest) ? { verb, name: rest } : { fault: 'arguments' };
  if (verb === 'MAIL') return parseMail(rest);
  if (verb === 'RCPT') return parseRcpt(rest);
  if (verb === 'BDAT') return parseBdat(rest);
  if (verb === 'AUTH') return parseAuth(rest);
  const bare = BARE_VERBS.find((known) => known === verb);
  if (bare !== undefined) return rest === '' ? { verb: bare } : { fault: 'arguments' };
  const talkative = TALKATIVE_VERBS.find((known) => known === verb);
  return talkative === undefined ? { fault: 'unknown' } : { verb: talkative };
}

function parseMail(rest: string): SmtpCommand | SmtpCommandFault {
  const [, reversePath, text] = pathAfter('FROM:', rest) ?? [];
  if (reversePath === undefined) return { fault: 'arguments' };
  const given = readParameters(text, MAIL_PARAMETERS);
  if ('fault' in given) return given;
  const value = (name: string) => given.values.get(name);
  const isUtf8 = given.values.has('SMTPUTF8');
  // A non-ASCII address requires the parameter SMTPUTF8 (RFC 6531, section 3.4).
  if (!ASCII.test(reversePath) && !isUtf8) return { fault: 'arguments' };
  const size = value('SIZE');
  return {
    verb: 'MAIL',
    reversePath,
    size: size === undefined ? null : Number(size),
    isUtf8,
    returns: readReturns(value('RET') ?? ''),
    envelopeId: readEnvelopeId(value('ENVID') ?? ''),
    hasAuthor: given.values.has('AUTH'),
  };
}

/** Whether a value is valid for BODY (RFC 6152). */
function isBody(value: string | undefined): boolean {
  return value !== undefined && /^(?:7BIT|8BITMIME)$/i.test(value);
}

/** Whether a value is valid for a parameter. The value is undefined if the parameter has no value. */
type IsValue = (value: string | undefined) => boolean;

const MAIL_PARAMETERS: ReadonlyMap<string, IsValue> = new Map<string, IsValue>([
  ['SIZE', (value) => SIZE.test(value ?? '')],
  ['BODY', isBody],
  ['SMTPUTF8', (value) => value === undefined],
  ['RET', (value) => readReturns(value ?? '') !== null],
  ['ENVID', (value) => readEnvelopeId(value ?? '') !== null],
  ['AUTH', (value) => value !== undefined && value !== '' && decodeXtext(value) !== null],
]);

const RCPT_PARAMETERS: ReadonlyMap<string, IsValue> = new Map<string, IsValue>([
  ['NOTIFY', (value) => readNotify(value ?? '') !== null],
  ['ORCPT', (value) => readOriginalRecipient(value ?? '') !== null],
]);

function readParameters(
  text: string | undefined,
  known: ReadonlyMap<string, IsValue>,
): { values: ReadonlyMap<string, string | undefined> } | SmtpCommandFault {
  const values = new Map<string, string | undefined>();
  for (const parameter of (text ?? '').split(/ +/).filter((each) => each !== '')) {
    const [, keyword = '', value] = /^([^=]*)(?:=(.*))?$/.exec(parameter) ?? [];
    const name = keyword.toUpperCase();
    if (values.has(name)) return { fault: 'arguments' };
    values.set(name, value);
  }
  for (const [name, value] of values) {
    const isValue = known.get(name);
    if (isValue === undefined) return { fault: 'parameter' };
    if (!isValue(value)) return { fault: name === 'SMTPUTF8' ? 'parameter' : 'arguments' };
  }
  return { values };
}

function parseRcpt(rest: string): SmtpCommand | SmtpCommandFault {
  const [, forwardPath, text] = pathAfter('TO:', rest) ?? [];
  if (forwardPath === undefined || forwardPath === '') return { fault: 'arguments' };
  const given = readParameters(text, RCPT_PARAMETERS);
  if ('fault' in given) return given;
  return {
    verb: 'RCPT',
    forwardPath,
    notify: readNotify(given.values.get('NOTIFY') ?? ''),
    originalRecipient: readOriginalRecipient(given.values.get('ORCPT') ?? ''),
  };
}

function parseAuth(rest: string): SmtpCommand | SmtpCommandFault {
  const [, mechanism, initialResponse = null] = AUTH.exec(rest) ?? [];
  return mechanism === undefined ? { fault: 'arguments' } : { verb: 'AUTH', mechanism, initialResponse };
}

function parseBdat(rest: string): SmtpCommand | SmtpCommandFault {
  const [, octets, last] = BDAT.exec(rest) ?? [];
  if (octets === undefined) return { fault: 'arguments' };
  return { verb: 'BDAT', octets: Number(octets), isLast: last !== undefined };
}

function pathAfter(label: string, text: string): RegExpExecArray | null {
  return text.slice(0, label.length).toUpperCase() === label ? PATH.exec(text.slice(label.length)) : null;
}
