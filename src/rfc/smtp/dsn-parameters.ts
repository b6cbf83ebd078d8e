/**
 * The parameters with which a client requests delivery status notifications (RFC 3461, section 4; for non-ASCII addresses RFC 6533,
 * section 3). Only this file decodes the values. Control characters are rejected, because reports contain the values as fields.
 */

/** The events about which a sender wants notifications, as bits (RFC 3461, section 4.1). 0 means `NEVER`. */
export const NOTIFY = { success: 1, failure: 2, delay: 4 } as const;

/** An additional bit, set if the sender gave no NOTIFY. The next server then also gets no NOTIFY (RFC 3461, section 5.2.1). */
const IS_DEFAULT = 8;

/** The bits for a recipient for whom the sender gave no NOTIFY. */
export const DEFAULT_NOTIFY = NOTIFY.failure | NOTIFY.delay | IS_DEFAULT;

/** Combines the bits of two RCPT commands with the same address. The result has `IS_DEFAULT` only if both commands had no NOTIFY. */
export function bothNotify(one: number, other: number): number {
  return one & other & IS_DEFAULT ? one | other : (one | other) & ~IS_DEFAULT;
}

/** The maximum length of an encoded ORCPT, in characters (RFC 3461, section 4.2). For ENVID, see section 4.4. */
const MAX_ORIGINAL_RECIPIENT = 500;
export const MAX_ENVELOPE_ID = 100;

const XTEXT = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;
const ESCAPED = /\+([0-9A-F]{2})/g;
const PRINTABLE = /^[\x20-\x7e]*$/;
const ADDRESS_TYPE = /^[A-Za-z0-9-]{1,40}$/;
/** Matches `utf-8-addr-xtext` and `utf-8-addr-unitext` (RFC 6533, section 3). */
const UTF8_XTEXT = /^(?:[!-*,-<>-[\]-~\u0080-\u{10ffff}]|\\x\{[0-9A-F]{2,6}\})*$/u;
const UTF8_ESCAPED = /\\x\{([0-9A-F]{2,6})\}/g;
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Decodes xtext (RFC 3461, section 4). @returns null if the text is invalid, or if the content is not printable ASCII */
export function decodeXtext(text: string): string | null {
  if (!XTEXT.test(text)) return null;
  const decoded = text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return PRINTABLE.test(decoded) ? decoded : null;
}

/** Parses RET. @returns null for an invalid value */
export function readReturns(value: string): 'full' | 'headers' | null {
  switch (value.toUpperCase()) {
    case 'FULL':
      return 'full';
    case 'HDRS':
      return 'headers';
    default:
      return null;
  }
}

/** Parses and decodes ENVID. @returns null for an invalid value */
export function readEnvelopeId(value: string): string | null {
  return value === '' || value.length > MAX_ENVELOPE_ID ? null : decodeXtext(value);
}

/** Parses NOTIFY. @returns bits of `NOTIFY`, or null for an invalid value */
export function readNotify(value: string): number | null {
  const words = value.toUpperCase().split(',');
  if (words.length === 1 && words[0] === 'NEVER') return 0;
  let bits = 0;
  for (const word of words) {
    const bit = BITS.get(word);
    if (bit === undefined || (bits & bit) !== 0) return null;
    bits |= bit;
  }
  return bits;
}

const BITS = new Map<string, number>([
  ['SUCCESS', NOTIFY.success],
  ['FAILURE', NOTIFY.failure],
  ['DELAY', NOTIFY.delay],
]);

/** Parses ORCPT. @returns `address-type;address` with the address decoded, or null for an invalid value */
export function readOriginalRecipient(value: string): string | null {
  const semicolon = value.indexOf(';');
  const [type, text] = [value.slice(0, Math.max(semicolon, 0)), value.slice(semicolon + 1)];
  if (!ADDRESS_TYPE.test(type) || text === '' || value.length > MAX_ORIGINAL_RECIPIENT) return null;
  const address = type.toLowerCase() === 'utf-8' ? decodeUtf8Xtext(text) : decodeXtext(text);
  return address === null ? null : `${type};${address}`;
}

function decodeUtf8Xtext(text: string): string | null {
  if (!UTF8_XTEXT.test(text)) return null;
  let isWrong = false;
  const decoded = text.replace(UTF8_ESCAPED, (_, hex: string) => {
    const point = Number.parseInt(hex, 16);
    if (point > 0x10ffff) isWrong = true;
    return isWrong ? '' : String.fromCodePoint(point);
  });
  return isWrong || NOT_TEXT.test(decoded) ? null : decoded;
}

/** The notifications that a sender requests. */
export interface DsnRequest {
  /** The decoded ENVID, from `readEnvelopeId`. */
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** Bits from `readNotify`, or `DEFAULT_NOTIFY`. */
  notify: number;
  /** The original recipient, from `readOriginalRecipient`. */
  originalRecipient: string | null;
}

/** @returns the parameters RET and ENVID for MAIL, each after a space. Omits absent parameters, and an ENVID that is too long */
export function writeMailRequest({ envelopeId, returns }: DsnRequest): string {
  const ret = returns === null ? '' : ` RET=${returns === 'full' ? 'FULL' : 'HDRS'}`;
  const id = envelopeId === null ? null : encodeXtext(envelopeId);
  return id === null || id === '' || id.length > MAX_ENVELOPE_ID ? ret : `${ret} ENVID=${id}`;
}

/**
 * @param rcptTo the recipient, and also the original recipient if the sender gave no ORCPT
 * @returns the parameters NOTIFY and ORCPT for RCPT, each after a space
 */
export function writeRcptRequest({ notify, originalRecipient }: DsnRequest, rcptTo: string): string {
  const words = [...BITS].flatMap(([word, bit]) => ((notify & bit) === 0 ? [] : [word]));
  const notifyParameter =
    notify & IS_DEFAULT ? '' : ` NOTIFY=${words.length === 0 ? 'NEVER' : words.join(',')}`;
  const original = originalRecipient ?? `${PRINTABLE.test(rcptTo) ? 'rfc822' : 'utf-8'};${rcptTo}`;
  const semicolon = original.indexOf(';');
  const [type, address] = [original.slice(0, Math.max(semicolon, 0)), original.slice(semicolon + 1)];
  const text = type.toLowerCase() === 'utf-8' ? encodeUtf8Xtext(address) : encodeXtext(address);
  const value = `${type};${text}`;
  const isRight =
    ADDRESS_TYPE.test(type) && text !== null && text !== '' && value.length <= MAX_ORIGINAL_RECIPIENT;
  return isRight ? `${notifyParameter} ORCPT=${value}` : notifyParameter;
}

function encodeXtext(text: string): string | null {
  return PRINTABLE.test(text) ? text.replace(/[ +=]/g, (one) => `+${hexOf(one)}`) : null;
}

/** Encodes a text as `utf-8-addr-xtext` (RFC 6533, section 3), which is valid with and without SMTPUTF8. */
function encodeUtf8Xtext(text: string): string | null {
  return NOT_TEXT.test(text) ? null : text.replace(/[^!-*,-<>-[\]-~]/gu, (one) => `\\x{${hexOf(one)}}`);
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
}
