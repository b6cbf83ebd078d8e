/**
 * One mailbox: `local@domain` or `Name <local@domain>`. The one parser of addresses: what it gives is what policy
 * judges, what the envelope carries and what the header shows.
 *
 * It takes less than the RFCs allow:
 *
 * | form                                             | here    | why                                               |
 * |--------------------------------------------------|---------|---------------------------------------------------|
 * | dot-atom local part, also UTF-8 (RFC 6531)       | taken   |                                                   |
 * | quoted local part                                | taken   | valid in SMTP; unquoted where it need not be      |
 * | address literal, IPv4 and IPv6                   | taken   | valid in SMTP                                     |
 * | domain of one label                              | taken   | valid in SMTP, and usual inside a network         |
 * | unquoted name with dots, brackets or UTF-8       | taken   | what people write: `Dr. Jörg Müller <a@b.test>`   |
 * | domain that ends in a number                     | refused | resolvers take it for an IPv4 address             |
 * | literal of another kind than IPv4 and IPv6       | refused | no other is registered                            |
 * | beyond 64, 63, 253 or 254 octets                 | refused | RFC 5321, section 4.5.3.1: a server may refuse it |
 * | comments, folding, space inside or around        | refused | parsers disagree on them                          |
 * | obsolete forms, routes, control characters       | refused | parsers disagree on them                          |
 * | groups, lists                                    | refused | one string is one mailbox                         |
 * | unquoted name with an @, comma, colon, semicolon | refused | may be a list, a group or an address that was cut |
 */
import { parseDomain } from './domain.ts';
import { closingQuote, IS_ATEXT, isDotAtom, quote, unquote } from './quoting.ts';
import { isIPv4, isIPv6 } from 'node:net';

const TAG = /^IPv6:/i;

export interface MailboxAddress {
  /** Unquoted, without space around it; null when it is missing or empty. */
  displayName: string | null;
  /** `localPart@domain`, as the envelope has it. Two spellings of one address give the same string. */
  address: string;
  /** Quoted where it must be, its case kept; UTF-8 in NFC. */
  localPart: string;
  /** Lower-case A-labels, or an address literal in its brackets. */
  domain: string;
  /** The local part goes beyond ASCII, so the mail needs SMTPUTF8 (RFC 6531). */
  unicode: boolean;
}

/** Says what is wrong and what would be right. Repeats no more of the text than single characters. */
export interface AddressError {
  error: string;
}

const MAX_TEXT = 998;
const MAX_LOCAL_PART_OCTETS = 64;
/** A path is at most 256 octets with its angle brackets (RFC 5321, section 4.5.3.1.3). */
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

/** 1 for characters of an unquoted display name: printable, and no sign that could mean something else. */
const IS_NAME_TEXT = new Uint8Array(128).fill(1, 0x21, DELETE);
for (const special of '"(),:;<>@\\') IS_NAME_TEXT[special.charCodeAt(0)] = 0;

/** Controls, line separators and halves of surrogate pairs are no text, and some parsers take them for a line break. */
const NOT_TEXT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/**
 * Also spaces beyond ASCII, what turns the direction of the text, and a mark that would join what stands before the
 * local part: such an address shows as another one.
 */
const NOT_LOCAL_PART = /^\p{M}|[[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Default_Ignorable_Code_Point}]--[ ]]/v;
/** Some readers decode it wherever it stands, and then show another address than the one that sent (RFC 2047). */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/** Takes at most 998 characters, in time proportional to the length. Never throws. */
export function parseMailbox(text: string): MailboxAddress | AddressError {
  const length = text.length;
  if (length > MAX_TEXT) return wrong(`it is longer than ${MAX_TEXT} characters`);
  if (length === 0) return wrong('it is empty');
  if (text.charCodeAt(length - 1) !== GREATER) return parseAddress(text, 0, length, null);

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
    } else if (at === 0) {
      return wrong(AROUND_ERROR);
    }
    at = end;
  }
  const displayName = name.trim();
  if (NOT_TEXT.test(displayName)) return wrong('the display name has a character that is not text');
  return parseAddress(text, at + 1, length - 1, displayName === '' ? null : displayName);
}

/** An addr-spec between two positions. */
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
      return wrong('the closing quote of the local part must stand before the @');
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
    if (NOT_LOCAL_PART.test(localPart))
      return wrong('the local part has a space or a character that does not show');
    const normal = localPart.normalize('NFC');
    // Normalising makes an ASCII sign of some characters (U+037E a semicolon), so what it gives is read again.
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
const AROUND_ERROR = 'it begins with a space';
const CONTROL_ERROR = 'it has a line break or another control character';
const COMMENT_ERROR =
  'it has a comment in parentheses; leave it out or put the display name in double quotes';
const BRACKETS_ERROR = 'the angle brackets do not match; write Name <local@domain> and nothing after it';

function startsWithAt(text: string): string {
  return text.includes(':') ? 'routes are obsolete; write local@domain alone' : 'nothing stands before the @';
}

function describeWrongInName(code: number): string {
  if (code < SPACE || code === DELETE) return CONTROL_ERROR;
  if (code === 0x28 || code === 0x29) return COMMENT_ERROR;
  if (code === GREATER) return BRACKETS_ERROR;
  return `the display name has "${String.fromCharCode(code)}" in it; put the name in double quotes`;
}

function describeWrongInAddress(code: number, text: string): string {
  if (code === SPACE && text.includes('<')) return BRACKETS_ERROR;
  if (code === SPACE || code === TAB) return 'the local part has a space in it or before it';
  if (code < SPACE || code === DELETE) return CONTROL_ERROR;
  if (code === 0x28 || code === 0x29) return COMMENT_ERROR;
  if (code === LESS || code === GREATER) return BRACKETS_ERROR;
  if (code === 0x2c || code === 0x3b) return 'write one address in a string';
  if (code === 0x3a) return 'groups and routes are not taken; write local@domain alone';
  return `the local part has "${String.fromCharCode(code)}" in it; put the local part in double quotes`;
}

/**
 * The normal form of a literal (RFC 5952 for IPv6), such that two spellings of one address give the same string.
 * IPv6 is the only registered tag.
 *
 * @param text with its square brackets
 * @returns or what is wrong, as `the domain ...`
 */
function parseAddressLiteral(text: string): string | { error: string } {
  if (!text.endsWith(']')) return { error: 'the domain is an address literal without its closing bracket' };
  const inner = text.slice(1, -1);
  // Numbers with leading zeros, which some read as octal, are refused by isIPv4.
  if (isIPv4(inner)) return text;
  const address = inner.replace(TAG, '');
  // A zone (`fe80::1%eth0`) means something on one machine only.
  if (address === inner || !isIPv6(address) || address.includes('%')) {
    return { error: 'the domain is not an address literal; write [192.0.2.1] or [IPv6:2001:db8::1]' };
  }
  return `[IPv6:${new URL(`http://[${address}]`).hostname.slice(1, -1)}]`;
}
