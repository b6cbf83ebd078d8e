/** Normalizes domain names to lower-case A-labels (RFC 5321, section 2.3.5; RFC 5890; UTS 46). */
import { uts46 } from './uts46.ts';

/** The maximum length of a name as text. DNS messages encode a name in two more octets, and allow 255 (RFC 1035, section 2.3.4). */
const MAX_DOMAIN = 253;
const MAX_LABEL = 63;

const HYPHEN = 0x2d;
const DOT = 0x2e;

const UTS46 = {
  checkBidi: true,
  // The UTS 46 check would reject names such as `c--n.example`, which are in use. Hyphens at the ends of labels are checked below.
  checkHyphens: false,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
  transitionalProcessing: false,
};

const A_LABEL = /(?:^|\.)xn--/;
const HYPHEN_AT_END_OF_LABEL = /(?:^|\.)-|-(?:\.|$)/;
/** Resolvers treat a name that ends in a number as an IPv4 address, even if the number is hexadecimal (WHATWG URL, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Normalizes a domain name, so that all spellings of a name give the same string. A single label is accepted. A label that
 * begins with `xn--` must be a valid A-label.
 *
 * @returns the normal form, or an error that begins with `the domain`
 */
export function parseDomain(text: string): string | { error: string } {
  if (text === '') return { error: 'the domain is empty' };
  // Reject a long name before mapping, which takes time proportional to the length. Mapping never makes an overlong name valid.
  if (text.length > MAX_DOMAIN) return { error: `the domain is longer than ${MAX_DOMAIN} octets` };
  const scan = scanDomain(text);
  if (typeof scan === 'object') return scan;
  if (scan === 'plain') return text;
  if (scan === 'upper') return text.toLowerCase();
  const { toASCII, toUnicode } = uts46();
  const ascii = toASCII(text, UTS46);
  if (ascii === null) return { error: 'the domain is not a valid internationalized name (UTS 46)' };
  const checked = scanDomain(ascii);
  if (typeof checked === 'object') return checked;
  if (HYPHEN_AT_END_OF_LABEL.test(toUnicode(ascii, UTS46).domain)) return { error: HYPHEN_ERROR };
  return ascii;
}

const HYPHEN_ERROR = 'the domain has a label that begins or ends with a hyphen';

/** @returns `mapped` if UTS 46 must process the name, because the name has a non-ASCII character or an A-label */
function scanDomain(text: string): 'plain' | 'upper' | 'mapped' | { error: string } {
  let labelStart = 0;
  let previous = DOT;
  let upper = false;
  let beyondAscii = false;
  let doubleHyphen = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) {
      previous = code;
      continue;
    }
    if (code >= 0x41 && code <= 0x5a) {
      upper = true;
    } else if (code === DOT) {
      if (previous === DOT)
        return { error: at === 0 ? 'the domain begins with a dot' : 'the domain has two dots in a row' };
      if (previous === HYPHEN) return { error: HYPHEN_ERROR };
      if (at - labelStart > MAX_LABEL) return { error: LABEL_ERROR };
      labelStart = at + 1;
    } else if (code === HYPHEN) {
      if (previous === DOT) return { error: HYPHEN_ERROR };
      if (previous === HYPHEN) doubleHyphen = true;
    } else if (code > 0x7f) {
      beyondAscii = true;
    } else {
      return { error: describeWrong(code) };
    }
    previous = code;
  }
  if (previous === DOT) return { error: 'the domain ends with a dot' };
  if (previous === HYPHEN) return { error: HYPHEN_ERROR };
  if (beyondAscii) return 'mapped';
  if (text.length - labelStart > MAX_LABEL) return { error: LABEL_ERROR };
  const name = upper ? text.toLowerCase() : text;
  if (ENDS_IN_NUMBER.test(name)) {
    return { error: 'the domain ends in a number; an IP address is written in square brackets' };
  }
  if (doubleHyphen && A_LABEL.test(name)) return 'mapped';
  return upper ? 'upper' : 'plain';
}

const LABEL_ERROR = `the domain has a label longer than ${MAX_LABEL} octets`;

function describeWrong(code: number): string {
  if (code < 0x20 || code === 0x7f) return 'the domain has a line break or another control character';
  if (code === 0x20) return 'the domain has a space in or after it';
  if (code === 0x28 || code === 0x29) return 'the domain has a comment in parentheses; remove the comment';
  if (code === 0x40) return 'the domain contains an @';
  if (code === 0x2c || code === 0x3b)
    return 'the domain is followed by a comma or semicolon; write one address per string';
  if (code === 0x3c || code === 0x3e) return 'the angle brackets do not match; write Name <local@domain>';
  return `the domain contains "${String.fromCharCode(code)}"; only letters, digits, hyphens and dots are allowed`;
}
