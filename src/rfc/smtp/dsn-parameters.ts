/**
 * The parameters by which a client says what it wants to hear of a delivery (RFC 3461, section 4; for addresses beyond ASCII RFC 6533,
 * section 3). What they carry comes into fields of a report later on, so it is decoded once, here, and holds no control character.
 */

/** Of what a sender wants to be told (RFC 3461, section 4.1), as bits; 0 (`NEVER`): of nothing. */
export const NOTIFY = { success: 1, failure: 2, delay: 4 } as const;

/** Beside the others: the sender did not say it, so no other server is told of it (RFC 3461, section 5.2.1). */
const UNASKED = 8;

/** Where the sender does not say. */
export const DEFAULT_NOTIFY = NOTIFY.failure | NOTIFY.delay | UNASKED;

/** What is wanted where an address is named twice. */
export function bothNotify(one: number, other: number): number {
  return one & other & UNASKED ? one | other : (one | other) & ~UNASKED;
}

/** RFC 3461, sections 4.2 and 4.4: in characters as they come. */
const MAX_ORIGINAL_RECIPIENT = 500;
const MAX_ENVELOPE_ID = 100;

const XTEXT = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;
const ESCAPED = /\+([0-9A-F]{2})/g;
const PRINTABLE = /^[\x20-\x7e]*$/;
const ADDRESS_TYPE = /^[A-Za-z0-9-]{1,40}$/;
/** RFC 6533, section 3: utf-8-addr-xtext and utf-8-addr-unitext. */
const UTF8_XTEXT = /^(?:[!-*,-<>-[\]-~\u0080-\u{10ffff}]|\\x\{[0-9A-F]{2,6}\})*$/u;
const UTF8_ESCAPED = /\\x\{([0-9A-F]{2,6})\}/g;
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Undoes xtext (RFC 3461, section 4). @returns null: it is none, or it holds what is not printable ASCII */
export function decodeXtext(text: string): string | null {
  if (!XTEXT.test(text)) return null;
  const decoded = text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return PRINTABLE.test(decoded) ? decoded : null;
}

/** @returns null: it is none */
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

/** @returns it decoded; null: it is none */
export function readEnvelopeId(value: string): string | null {
  return value === '' || value.length > MAX_ENVELOPE_ID ? null : decodeXtext(value);
}

/** @returns bits of `NOTIFY`; null: it is none */
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

/** @returns `address-type;address`, the address decoded; null: it is none */
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

/** What a sender wants to hear of a delivery. */
export interface DsnRequest {
  /** Decoded, as `readEnvelopeId` gives it. */
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** Bits, of `readNotify` or `DEFAULT_NOTIFY`. */
  notify: number;
  /** As `readOriginalRecipient` gives it. */
  originalRecipient: string | null;
}

/** @returns RET and ENVID for MAIL, each with a space in front, where the sender gave them; what does not fit is left out */
export function writeMailRequest({ envelopeId, returns }: DsnRequest): string {
  const ret = returns === null ? '' : ` RET=${returns === 'full' ? 'FULL' : 'HDRS'}`;
  const id = envelopeId === null ? null : encodeXtext(envelopeId);
  return id === null || id === '' || id.length > MAX_ENVELOPE_ID ? ret : `${ret} ENVID=${id}`;
}

/**
 * @param rcptTo the recipient, which stands for the original one where the sender did not name that
 * @returns NOTIFY and ORCPT for RCPT, as `writeMailRequest`
 */
export function writeRcptRequest({ notify, originalRecipient }: DsnRequest, rcptTo: string): string {
  const words = [...BITS].flatMap(([word, bit]) => ((notify & bit) === 0 ? [] : [word]));
  const asked = notify & UNASKED ? '' : ` NOTIFY=${words.length === 0 ? 'NEVER' : words.join(',')}`;
  const original = originalRecipient ?? `${PRINTABLE.test(rcptTo) ? 'rfc822' : 'utf-8'};${rcptTo}`;
  const semicolon = original.indexOf(';');
  const [type, address] = [original.slice(0, Math.max(semicolon, 0)), original.slice(semicolon + 1)];
  const text = type.toLowerCase() === 'utf-8' ? encodeUtf8Xtext(address) : encodeXtext(address);
  const value = `${type};${text}`;
  const isRight =
    ADDRESS_TYPE.test(type) && text !== null && text !== '' && value.length <= MAX_ORIGINAL_RECIPIENT;
  return isRight ? `${asked} ORCPT=${value}` : asked;
}

function encodeXtext(text: string): string | null {
  return PRINTABLE.test(text) ? text.replace(/[ +=]/g, (one) => `+${hexOf(one)}`) : null;
}

/** As utf-8-addr-xtext (RFC 6533, section 3): it is taken with SMTPUTF8 and without. */
function encodeUtf8Xtext(text: string): string | null {
  return NOT_TEXT.test(text) ? null : text.replace(/[^!-*,-<>-[\]-~]/gu, (one) => `\\x{${hexOf(one)}}`);
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
}
