/**
 * Parses one mailbox: `local@domain` or `Name <local@domain>`. Policy checks, the envelope and header fields use the same result, so that
 * they cannot disagree about an address.
 *
 * This parser is stricter than the RFCs:
 *
 * | form                                             | result   | why                                               |
 * |--------------------------------------------------|----------|---------------------------------------------------|
 * | dot-atom local part, also UTF-8 (RFC 6531)       | accepted |                                                   |
 * | quoted local part                                | accepted | valid in SMTP; unquoted if possible               |
 * | address literal, IPv4 and IPv6                   | accepted | valid in SMTP                                     |
 * | domain of one label                              | accepted | valid in SMTP, and common in private networks     |
 * | unquoted name with dots, brackets or UTF-8       | accepted | common: `Dr. Jörg Müller <a@b.test>`              |
 * | domain that ends in a number                     | rejected | resolvers treat it as an IPv4 address             |
 * | literal that is neither IPv4 nor IPv6            | rejected | no other kind is registered                       |
 * | overlong local part, label, domain or address    | rejected | RFC 5321, section 4.5.3.1: servers may reject it  |
 * | comments, folding, space inside or around        | rejected | parsers disagree on them                          |
 * | obsolete forms, routes, control characters       | rejected | parsers disagree on them                          |
 * | groups, lists                                    | rejected | one string is one mailbox                         |
 * | unquoted name with an @, comma, colon, semicolon | rejected | may be a list, a group or a truncated address     |
 */
import { parseDomain } from './domain.ts';
import { closingQuote, IS_ATEXT, isDotAtom, quote, unquote } from './quoting.ts';
import { isIPv4, isIPv6 } from 'node:net';

const TAG = /^IPv6:/i;

export interface MailboxAddress {
  /** The name without quotes and without space at the ends. Null if the name is missing or empty. */
  displayName: string | null;
  /** `localPart@domain`, as in the envelope. All spellings of an address give the same string. */
  address: string;
  /** The local part in its original case and in NFC, quoted if necessary. */
  localPart: string;
  /** The domain in lower-case A-labels, or an address literal in square brackets. */
  domain: string;
  /** Whether the local part has non-ASCII characters, so that the message needs SMTPUTF8 (RFC 6531). */
  unicode: boolean;
}

/** An error message that says what is wrong with the text and how to fix it. Quotes at most single characters of the text. */
export interface AddressError {
  error: string;
}

const MAX_TEXT = 998;
const MAX_LOCAL_PART_OCTETS = 64;
/** A path has at most 256 octets with the angle brackets, so an address has at most 254 (RFC 5321, section 4.5.3.1.3). */
const MAX_ADDRESS_OCTETS = 254;

const TAB = 0x09;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const DOT = 0x2e;
const LESS = 0x3c;
const GREATER = 0x3e;
const AT = 0x40;
const BRACKET = 0x5b;
const DELETE = 0x7f;

/** For each ASCII code: 1 if an unquoted display name may contain the character, because it is printable and has no special meaning. */
const IS_NAME_TEXT = new Uint8Array(128).fill(1, 0x21, DELETE);
for (const special of '"(),:;<>@\\') IS_NAME_TEXT[special.charCodeAt(0)] = 0;

/** Control characters, line separators and lone surrogates. Some parsers treat these characters as a line break. */
const NOT_TEXT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/**
 * What a local part must not contain, because it would make the address look like another address: control characters, non-ASCII spaces,
 * characters that change the text direction, and, at the start, a combining mark, which would join the character before the local part.
 */
const NOT_LOCAL_PART = /^\p{M}|[[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Default_Ignorable_Code_Point}]--[ ]]/v;
/** An encoded word (RFC 2047). Attack: some mail clients decode encoded words even in an address, and show another address. */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/** Parses a mailbox of at most 998 characters, in time proportional to the length. Never throws. */
export function parseMailbox(text: string): MailboxAddress | AddressError {
  const length = text.length;
  if (length > MAX_TEXT) return wrong(`it is longer than ${MAX_TEXT} characters`);
  if (length === 0) return wrong('it is empty');
  const around = describeSpaceAround(text);
  if (around !== null) return wrong(around);
  if (text.charCodeAt(length - 1) !== GREATER) return parseAddress(text, 0, length, null);
  if (!text.includes('<')) return wrong('the closing > has no opening <; write Name <local@domain>');

  let name = '';
  let at = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === LESS) break;
    let end = at + 1;
    if (code === DOUBLE_QUOTE) {
      end = closingQuote(text, at);
      if (end === -1) return wrong(QUOTED_ERROR);
      name = join(name, unquote(text, at, end));
      end++;
    } else if (code !== SPACE && code !== TAB) {
      end = nameWordEnd(text, at);
      if (end === at) return wrong(describeWrongInName(code));
      name = join(name, text.slice(at, end));
    }
    at = end;
  }
  const displayName = name.trim();
  if (NOT_TEXT.test(displayName))
    return wrong('the display name has a line break, a control character or invalid Unicode');
  return parseAddress(text, at + 1, length - 1, displayName === '' ? null : displayName);
}

/** Parses the addr-spec between two positions. */
function parseAddress(
  text: string,
  start: number,
  end: number,
  displayName: string | null,
): MailboxAddress | AddressError {
  let at = start;
  let localPart: string;
  let unicode = false;
  if (text.charCodeAt(at) === DOUBLE_QUOTE) {
    const close = closingQuote(text, at);
    if (close === -1 || close >= end) return wrong(QUOTED_ERROR);
    const content = unquote(text, at, close).normalize('NFC');
    localPart = isDotAtom(content) ? content : quote(content);
    at = close + 1;
    if (at < end && text.charCodeAt(at) !== AT)
      return wrong('the closing quote of the local part must directly precede the @');
    unicode = Buffer.byteLength(localPart) !== localPart.length;
  } else {
    let previous = DOT;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === AT) break;
      if (code > 0x7f) unicode = true;
      else if (code === DOT) {
        if (previous === DOT)
          return wrong(at === start ? 'it begins with a dot' : 'the local part has two dots in a row');
      } else if (IS_ATEXT[code] === 0) return wrong(describeWrongInAddress(code, text));
      previous = code;
    }
    if (at === start && at < end) return wrong(startsWithAt(text));
    if (previous === DOT && at > start) return wrong('the local part ends with a dot');
    localPart = text.slice(start, at);
  }
  if (at >= end) return wrong('it has no @; write local@domain or Name <local@domain>');
  if (unicode) {
    if (NOT_LOCAL_PART.test(localPart)) return wrong('the local part has a space or an invisible character');
    const normal = localPart.normalize('NFC');
    // Normalization turns some characters into ASCII, such as U+037E into a semicolon, so the normalized address is parsed again.
    if (normal !== localPart)
      return parseAddress(normal + text.slice(at, end), 0, normal.length + end - at, displayName);
  }
  if (ENCODED_WORD.test(localPart)) return wrong('the local part looks like an encoded word');
  const octets = unicode ? Buffer.byteLength(localPart) : localPart.length;
  if (octets > MAX_LOCAL_PART_OCTETS)
    return wrong(`the local part is longer than ${MAX_LOCAL_PART_OCTETS} octets`);
  const isLiteral = text.charCodeAt(at + 1) === BRACKET;
  const rest = text.slice(at + 1, end);
  const domain = isLiteral ? parseAddressLiteral(rest) : parseDomain(rest);
  if (typeof domain === 'object') return wrong(domain.error);
  if (octets + 1 + domain.length > MAX_ADDRESS_OCTETS)
    return wrong(`it is longer than ${MAX_ADDRESS_OCTETS} octets`);
  return { displayName, address: `${localPart}@${domain}`, localPart, domain, unicode };
}

function nameWordEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 && IS_NAME_TEXT[code] === 0) break;
  }
  return at;
}

function join(name: string, word: string): string {
  return name === '' ? word : `${name} ${word}`;
}

function wrong(what: string): AddressError {
  return { error: `not an address: ${what}` };
}

const QUOTED_ERROR = 'the quoted part is not closed, or has a control character or a stray backslash in it';
const CONTROL_ERROR = 'it has a line break or another control character';
const COMMENT_ERROR =
  'it has a comment in parentheses; remove the comment, or put the display name in double quotes';
const BRACKETS_ERROR = 'the angle brackets do not match; write Name <local@domain> and nothing after it';

function describeSpaceAround(text: string): string | null {
  const isSpace = (code: number): boolean => code === SPACE || code === TAB;
  if (isSpace(text.charCodeAt(0))) return 'it begins with a space; remove the space';
  if (isSpace(text.charCodeAt(text.length - 1))) return 'it ends with a space; remove the space';
  return null;
}

function startsWithAt(text: string): string {
  return text.includes(':')
    ? 'routes are obsolete; write only local@domain'
    : 'there is nothing before the @';
}

function describeWrongInName(code: number): string {
  if (code < SPACE || code === DELETE) return CONTROL_ERROR;
  if (code === 0x28 || code === 0x29) return COMMENT_ERROR;
  if (code === GREATER) return BRACKETS_ERROR;
  return `the display name contains "${String.fromCharCode(code)}"; put the name in double quotes`;
}

function describeWrongInAddress(code: number, text: string): string {
  if (code === SPACE && text.includes('<')) return BRACKETS_ERROR;
  if (code === SPACE || code === TAB) return 'the local part has a space in or before it';
  if (code < SPACE || code === DELETE) return CONTROL_ERROR;
  if (code === 0x28 || code === 0x29) return COMMENT_ERROR;
  if (code === LESS || code === GREATER) return BRACKETS_ERROR;
  if (code === 0x2c || code === 0x3b) return 'write one address per string';
  if (code === 0x3a) return 'groups and routes are not supported; write only local@domain';
  return `the local part contains "${String.fromCharCode(code)}"; put the local part in double quotes`;
}

/**
 * Normalizes an address literal (RFC 5952 for IPv6), so that all spellings of an address give the same string. IPv6 is the
 * only registered tag.
 *
 * @param text an address literal with square brackets
 * @returns the normal form, or an error that begins with `the domain`
 */
function parseAddressLiteral(text: string): string | { error: string } {
  if (!text.endsWith(']')) return { error: 'the domain is an address literal without its closing bracket' };
  const inner = text.slice(1, -1);
  // `isIPv4` rejects numbers with leading zeros, which some parsers read as octal.
  if (isIPv4(inner)) return text;
  const address = inner.replace(TAG, '');
  // A zone (`fe80::1%eth0`) is only valid on one machine.
  if (address === inner || !isIPv6(address) || address.includes('%')) {
    return { error: 'the domain is not an address literal; write [192.0.2.1] or [IPv6:2001:db8::1]' };
  }
  return `[IPv6:${new URL(`http://[${address}]`).hostname.slice(1, -1)}]`;
}
