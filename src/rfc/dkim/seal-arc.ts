/**
 * Adds an ARC set to a forwarded message (RFC 8617, section 5.1): the authentication results on receipt, a signature that covers the
 * message, and a seal that covers this set and all earlier sets.
 */
import { relaxFieldBody } from './canonical.ts';
import { type SigningKey, signInPool } from './sign.ts';
import { canonicalField, signedField, unsignedField } from './signature-field.ts';
import { COVERED, selectSignedFields } from './signed-fields.ts';

/** The result that this server got when it validated all seals in the chain. */
type ChainResult = 'none' | 'pass' | 'fail';

export interface ArcSealing {
  /** The value of Authentication-Results, on one line. */
  results: string;
  chain: ChainResult;
  /** The result of `hashBody` for the body. */
  bodyHash: Buffer;
  /** The value of the `t=` tag, in whole seconds since 1970. */
  timestamp: number;
}

/** The maximum number of sets in a chain (RFC 8617, section 4.2.1). */
const MAX_INSTANCE = 50;
const END_OF_FIELD = /\r\n(?![ \t])/;
const MAX_LINE = 78;
const FOLD = '\r\n\t';

/**
 * Fields that the signature covers. DKIM-Signature is covered, because this field shows which signature passed. Authentication-Results is
 * not covered, because the ARC set itself contains the results (RFC 8617, section 4.1.2).
 */
const COVERED_BY_ARC = [...COVERED, { name: 'DKIM-Signature', key: 'dkim-signature', oversigned: false }];

/**
 * Returns three fields, each ending with CRLF, to prepend to the header. Returns an empty string if the chain cannot be extended, because
 * the last seal says `cv=fail` or because the chain has 50 sets.
 *
 * @param header header fields as Latin-1, each ending with CRLF
 * @param key a key for `rsa-sha256`, the only algorithm that every verifier supports
 * @throws TypeError if the private key does not match its `algorithm`
 */
export async function sealArc(
  header: string,
  key: SigningKey,
  { results, chain, bodyHash, timestamp }: ArcSealing,
): Promise<string> {
  const sets = readSets(header);
  const last = Math.max(0, ...sets.keys());
  const instance = last + 1;
  if (instance > MAX_INSTANCE || /[:;]\s*cv\s*=\s*fail\b/i.test(sets.get(last)?.['arc-seal'] ?? ''))
    return '';
  // An incomplete chain is invalid, even if `chain` is `pass`.
  const isWhole = [...Array(last).keys()].every((at) => isComplete(sets.get(at + 1)));
  const cv = last === 0 ? 'none' : isWhole && chain === 'pass' ? 'pass' : 'fail';

  const found = fold(`ARC-Authentication-Results: i=${instance}; ${results}`);
  const { names, canonical } = selectSignedFields(header, [], COVERED_BY_ARC);
  const tags = { ...key, timestamp, signedNames: names, bodyHash: bodyHash.toString('base64') };
  const unsignedMessage = unsignedField(tags, `ARC-Message-Signature: i=${instance}`);
  const signature = await signed(key, canonical, unsignedMessage);

  const unsignedSeal =
    `ARC-Seal: i=${instance}; a=${key.algorithm}; t=${timestamp}; cv=${cv};${FOLD}` +
    `d=${key.domain}; s=${key.selector};${FOLD}b=`;
  // If the chain failed, the seal covers only its own set (RFC 8617, section 5.1.2).
  const before = cv === 'pass' ? [...Array(last).keys()].flatMap((at) => inOrder(sets.get(at + 1))) : [];
  const sealedFields = [...before, found, signature].map(canonicalLine).join('');
  const seal = await signed(key, sealedFields, unsignedSeal);
  return seal + signature + found;
}

type ArcSet = Partial<Record<(typeof NAMES)[number], string>> & { isTwice?: true };

/** The fields of a set in the order in which a seal covers the fields (RFC 8617, section 5.1.1). */
const NAMES = ['arc-authentication-results', 'arc-message-signature', 'arc-seal'] as const;

/** The ARC sets of the header, by instance number. */
function readSets(header: string): Map<number, ArcSet> {
  const sets = new Map<number, ArcSet>();
  for (const field of header.split(END_OF_FIELD)) {
    const name = NAMES.find((name) => name === field.slice(0, field.indexOf(':')).trimEnd().toLowerCase());
    const instance = Number(/^[^:]*:(?:[^;]*;)*?\s*i\s*=\s*(\d{1,3})\s*;/.exec(field)?.[1] ?? 0);
    if (name === undefined || instance < 1) continue;
    const set = sets.get(instance) ?? {};
    if (set[name] !== undefined) set.isTwice = true;
    set[name] = `${field}\r\n`;
    sets.set(instance, set);
  }
  return sets;
}

function isComplete(set: ArcSet | undefined): boolean {
  return set !== undefined && set.isTwice === undefined && NAMES.every((name) => set[name] !== undefined);
}

function inOrder(set: ArcSet | undefined): string[] {
  return NAMES.map((name) => set?.[name] ?? '');
}

function canonicalLine(field: string): string {
  const colon = field.indexOf(':');
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  return `${name}:${relaxFieldBody(field.slice(colon + 1).replace(/\r\n$/, ''))}\r\n`;
}

async function signed(key: SigningKey, before: string, unsigned: string): Promise<string> {
  const data = Buffer.from(before + canonicalField(unsigned), 'latin1');
  return signedField(unsigned, (await signInPool(key, data)).toString('base64'));
}

/** Folds a long field after semicolons (RFC 5322, section 2.1.1). */
function fold(field: string): string {
  let text = '';
  let column = 0;
  for (const part of field.split(/(?<=;) +/)) {
    const isFirst = text === '';
    const isFolded = !isFirst && column + 1 + part.length > MAX_LINE;
    text += isFirst ? part : (isFolded ? FOLD : ' ') + part;
    column = isFirst || isFolded ? part.length : column + 1 + part.length;
  }
  return `${text}\r\n`;
}
