/**
 * Parses commands as a server (RFC 5321, section 4.1). Strict, but accepts what real clients send: a space after `FROM:` and `TO:`, spaces
 * at the end of a line, an address without angle brackets, and a dot at the end of a domain. A source route is accepted and ignored
 * (RFC 5321, section 4.1.1.3).
 */
import {
  decodeXtext,
  MAX_ENVELOPE_ID,
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

/** Parameters of MAIL for delivery status notifications and for authenticated clients. */
export interface MailParameters {
  /** RET and ENVID, decoded (RFC 3461). Null if the parameter is missing. */
  returns: 'full' | 'headers' | null;
  envelopeId: string | null;
  /** Whether the parameter AUTH is present (RFC 4954, section 5). The value, which names the author, is ignored. */
  hasAuthor: boolean;
}

/** Parameters of RCPT for delivery status notifications. */
export interface RcptParameters {
  /** Bits of `NOTIFY`. Null if the parameter is missing. */
  notify: number | null;
  /** ORCPT, decoded, as `address-type;address`. Null if the parameter is missing. */
  originalRecipient: string | null;
}

/**
 * `unknown`: the command is not supported. `malformed`: the line is not a command, for example because of a control character. `needsUtf8`: a
 * non-ASCII address requires the parameter SMTPUTF8 (RFC 6531, section 3.4). `arguments`: the arguments are invalid. `parameter`: a
 * parameter of MAIL or RCPT is not offered. `rule` tells the developer of the client which rule is broken.
 */
export type SmtpCommandFault =
  | { fault: 'unknown' | 'malformed' | 'needsUtf8' }
  | { fault: 'arguments' | 'parameter'; rule: string };

const ILLEGIBLE = /[\p{Cc}\p{Cs}\ufffd]/u;
const LINE = /^([A-Za-z]{4,8})(?: (.*))?$/;
const HELO_NAME = /^[^ ]+$/;
/** A path in angle brackets. Captures the address without the source route. A quoted local part may contain a bracket. */
const PATH = /^ ?<(?:@[^<>:" ]+:)?((?:[^<>" ]|"(?:[^"\\]|\\.)*")*)>(?: (.*))?$/;
/** A path without angle brackets, which old devices and scripts write. */
const BARE_PATH = /^ ?((?:[^<>" ]|"(?:[^"\\]|\\.)*")+)(?: (.*))?$/;
/** The only address without a domain (RFC 5321, section 4.1.1.3). */
const POSTMASTER = /^postmaster$/i;
const AUTH = /^([A-Za-z0-9_-]{1,20})(?: (=|[A-Za-z0-9+/]+=*))?$/;
const BDAT = /^(\d{1,15})( LAST)?$/i;
const SIZE = /^\d{1,20}$/;
const BODY = /^(?:7BIT|8BITMIME)$/i;
const ASCII = /^[\x20-\x7e]*$/;
/** A parameter name that a reply may contain. */
const KEYWORD = /^[A-Z0-9-]{1,20}$/;

/** @param line the command without CRLF, decoded from UTF-8, with U+FFFD for invalid octets */
export function parseCommand(line: string): SmtpCommand | SmtpCommandFault {
  if (ILLEGIBLE.test(line)) return { fault: 'malformed' };
  const [, name, rest = ''] = LINE.exec(line.trimEnd()) ?? [];
  const verb = name?.toUpperCase();
  if (verb === 'EHLO' || verb === 'HELO')
    return HELO_NAME.test(rest) ? { verb, name: rest } : syntaxFault(`${verb} hostname`);
  if (verb === 'MAIL') return parseMail(rest);
  if (verb === 'RCPT') return parseRcpt(rest);
  if (verb === 'BDAT') return parseBdat(rest);
  if (verb === 'AUTH') return parseAuth(rest);
  const bare = BARE_VERBS.find((known) => known === verb);
  if (bare !== undefined)
    return rest === '' ? { verb: bare } : { fault: 'arguments', rule: `${bare} takes no arguments` };
  const talkative = TALKATIVE_VERBS.find((known) => known === verb);
  return talkative === undefined ? { fault: 'unknown' } : { verb: talkative };
}

function syntaxFault(syntax: string): SmtpCommandFault {
  return { fault: 'arguments', rule: `Syntax: ${syntax}` };
}

function parseMail(rest: string): SmtpCommand | SmtpCommandFault {
  const path = pathAfter('FROM:', rest);
  if (path === null) return syntaxFault('MAIL FROM:<address>');
  const given = readParameters(path.parameters, MAIL_PARAMETERS);
  if ('fault' in given) return given;
  const value = (name: string) => given.values.get(name);
  const isUtf8 = given.values.has('SMTPUTF8');
  if (!ASCII.test(path.address) && !isUtf8) return { fault: 'needsUtf8' };
  const size = value('SIZE');
  return {
    verb: 'MAIL',
    reversePath: path.address,
    size: size === undefined ? null : Number(size),
    isUtf8,
    returns: readReturns(value('RET') ?? ''),
    envelopeId: readEnvelopeId(value('ENVID') ?? ''),
    hasAuthor: given.values.has('AUTH'),
  };
}

interface Parameter {
  /** Whether a value is valid. The value is empty if the parameter has none. */
  isValid(value: string): boolean;
  /** The rule that an invalid value breaks. */
  rule: string;
}

const MAIL_PARAMETERS: ReadonlyMap<string, Parameter> = new Map<string, Parameter>([
  ['SIZE', { isValid: (value) => SIZE.test(value), rule: 'SIZE must be a number of octets' }],
  ['BODY', { isValid: (value) => BODY.test(value), rule: 'BODY must be 7BIT or 8BITMIME' }],
  ['SMTPUTF8', { isValid: (value) => value === '', rule: 'SMTPUTF8 takes no value' }],
  ['RET', { isValid: (value) => readReturns(value) !== null, rule: 'RET must be FULL or HDRS' }],
  [
    'ENVID',
    {
      isValid: (value) => readEnvelopeId(value) !== null,
      rule: `ENVID must be xtext of at most ${MAX_ENVELOPE_ID} characters`,
    },
  ],
  [
    'AUTH',
    {
      isValid: (value) => value !== '' && decodeXtext(value) !== null,
      rule: 'AUTH must be an address in xtext, or <>',
    },
  ],
]);

const RCPT_PARAMETERS: ReadonlyMap<string, Parameter> = new Map<string, Parameter>([
  [
    'NOTIFY',
    {
      isValid: (value) => readNotify(value) !== null,
      rule: 'NOTIFY must be NEVER, or a list of SUCCESS, FAILURE and DELAY',
    },
  ],
  [
    'ORCPT',
    {
      isValid: (value) => readOriginalRecipient(value) !== null,
      rule: 'ORCPT must be an address type, a semicolon, and an address in xtext',
    },
  ],
]);

function readParameters(
  text: string,
  known: ReadonlyMap<string, Parameter>,
): { values: ReadonlyMap<string, string> } | SmtpCommandFault {
  const values = new Map<string, string>();
  for (const given of text.split(/ +/).filter((each) => each !== '')) {
    const equals = given.indexOf('=');
    const name = (equals === -1 ? given : given.slice(0, equals)).toUpperCase();
    const parameter = known.get(name);
    if (parameter === undefined)
      return { fault: 'parameter', rule: `Unsupported parameter${KEYWORD.test(name) ? ` ${name}` : ''}` };
    if (values.has(name)) return { fault: 'arguments', rule: `${name} is given twice` };
    const value = equals === -1 ? '' : given.slice(equals + 1);
    if (!parameter.isValid(value)) return { fault: 'arguments', rule: parameter.rule };
    values.set(name, value);
  }
  return { values };
}

function parseRcpt(rest: string): SmtpCommand | SmtpCommandFault {
  const path = pathAfter('TO:', rest);
  if (path === null || path.address === '') return syntaxFault('RCPT TO:<address>');
  const given = readParameters(path.parameters, RCPT_PARAMETERS);
  if ('fault' in given) return given;
  return {
    verb: 'RCPT',
    forwardPath: path.address,
    notify: readNotify(given.values.get('NOTIFY') ?? ''),
    originalRecipient: readOriginalRecipient(given.values.get('ORCPT') ?? ''),
  };
}

function parseAuth(rest: string): SmtpCommand | SmtpCommandFault {
  const [, mechanism, initialResponse = null] = AUTH.exec(rest) ?? [];
  return mechanism === undefined
    ? syntaxFault('AUTH mechanism [initial-response in base64]')
    : { verb: 'AUTH', mechanism, initialResponse };
}

function parseBdat(rest: string): SmtpCommand | SmtpCommandFault {
  const [, octets, last] = BDAT.exec(rest) ?? [];
  if (octets === undefined) return syntaxFault('BDAT octets [LAST]');
  return { verb: 'BDAT', octets: Number(octets), isLast: last !== undefined };
}

/** @returns the address without brackets, source route and final dot, and the text after it; null if there is no path */
function pathAfter(label: string, text: string): { address: string; parameters: string } | null {
  if (text.slice(0, label.length).toUpperCase() !== label) return null;
  const rest = text.slice(label.length);
  const bracketed = PATH.exec(rest);
  const [, address = '', parameters = ''] = bracketed ?? BARE_PATH.exec(rest) ?? [];
  // Without brackets, only an address is accepted. Otherwise, `MAIL FROM: SIZE=1` would have the sender `SIZE=1`.
  if (bracketed === null && !address.includes('@') && !POSTMASTER.test(address)) return null;
  return { address: withoutFinalDot(address), parameters };
}

/** Removes the dot of the DNS root, which some programs write after a domain. */
function withoutFinalDot(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const isRooted = domain.length > 1 && domain.length < address.length && domain.endsWith('.');
  return isRooted && !domain.endsWith('..') ? address.slice(0, -1) : address;
}
