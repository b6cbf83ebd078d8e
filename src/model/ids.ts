/**
 * Identifiers: a UUIDv7 (RFC 9562, section 5.7) in the database, and `<prefix>_<26 characters of Crockford base32>` in public. UUIDv7s sort
 * by time, so the primary key of a table is also the order in which rows were created.
 */
import * as clock from './clock.ts';

export type IdPrefix =
  | 'em'
  | 'sub'
  | 'evt'
  | 'dom'
  | 'mbx'
  | 'fld'
  | 'msg'
  | 'thr'
  | 'upl'
  | 'lnk'
  | 'fil'
  | 'out'
  | 'snd'
  | 'can'
  | 'als'
  | 'wh'
  | 'dlv'
  | 'rt'
  | 'rm'
  | 'tpl'
  | 'pce'
  | 'ver'
  | 'per'
  | 'shr'
  | 'key'
  | 'app'
  | 'rule'
  | 'prj'
  | 'org'
  | 'usr'
  | 'ses'
  | 'psk'
  | 'idn'
  | 'inv'
  | 'aud'
  | 'opm'
  | 'rej'
  | 'vw'
  | 'alr'
  | 'ctc';

/** The lowest uuid, which no new id has (RFC 9562, section 5.9). */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const VALUE_OF = new Map(Array.from(ALPHABET, (character, value) => [character, value]));
/** The two characters of base32 for each value of 10 bits. */
const PAIRS = Array.from({ length: 1_024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`);
const HYPHEN = 0x2d;
/** The value of each hexadecimal digit. The index is the character code of the digit. */
const HEX_VALUES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Number.parseInt(String.fromCharCode(code), 16),
);

/** The two hexadecimal digits of each octet. */
const HEX = Array.from({ length: 0x100 }, (_, octet) => octet.toString(16).padStart(2, '0'));

const pool = new Uint8Array(8 * 256);
let poolOffset = pool.length;
let lastMs = 0;
let counter = 0;

/**
 * A new UUIDv7, greater than every earlier UUID of this process (except after `restartIds`). 62 of its bits are random. The 12 bits
 * after the milliseconds count the UUIDs of a millisecond (RFC 9562, section 6.2, method 1).
 */
export function newUuid(nowMs: number = clock.nowMs()): string {
  if (poolOffset === pool.length) {
    crypto.getRandomValues(pool);
    poolOffset = 0;
  }
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = (octetAt(0) << 3) | (octetAt(1) & 7);
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const ms = lastMs.toString(16).padStart(12, '0');
  const variant = hexOf(0x80 | (octetAt(0) & 0x3f)) + hexOf(octetAt(1));
  let node = '';
  for (let at = 2; at < 8; at++) node += hexOf(octetAt(at));
  poolOffset += 8;
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}-${node}`;
}

/** A random octet for the uuid that `newUuid` is making. */
function octetAt(at: number): number {
  return pool[poolOffset + at] ?? 0;
}

function hexOf(octet: number): string {
  return HEX[octet] ?? '';
}

/**
 * Lets the next id have the current time, even if it is lower than earlier ids. Called after the first reading of the database's clock. Ids
 * before that had the time of this machine, and if that is far ahead, all further ids would stay ahead too.
 */
export function restartIds(): void {
  lastMs = 0;
}

/** The time at which a UUIDv7 was made, in milliseconds: the `created_at` of its resource. */
export function timeOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}

/** The lowest UUIDv7 of a millisecond, as a bound for "since" and "until". */
export function firstUuidAt(time: Date): string {
  const ms = Math.max(0, Math.min(time.getTime(), 0xffff_ffff_ffff)).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

/** The public form of a uuid. Optimized for speed, because every log line has several ids. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`;
  // 26 characters of 5 bits have 130 bits, so two zero bits precede the 128 bits of the uuid.
  let bits = 0;
  let have = 2;
  for (let at = 0; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at);
    if (code === HYPHEN) continue;
    bits = (bits << 4) | (HEX_VALUES[code] ?? 0);
    have += 4;
    if (have < 10) continue;
    have -= 10;
    text += PAIRS[bits >> have] ?? '';
    bits &= (1 << have) - 1;
  }
  return text;
}

/**
 * The Message-ID of an email (RFC 5322, section 3.6.4). It contains the email's id, so the email can be found by its Message-ID.
 * @param domain the sender's domain, in A-labels
 */
export function messageIdOf(emailId: string, domain: string): string {
  return `<${encodeId('em', emailId).slice('em_'.length).toLowerCase()}@${domain}>`;
}

/** The uuid of a public id, or null for any text that `encodeId` does not produce with this prefix. */
export function decodeId(prefix: IdPrefix, id: string): string | null {
  const start = prefix.length + 1;
  if (id.length !== start + 26 || !id.startsWith(`${prefix}_`)) return null;
  const first = VALUE_OF.get(id[start] ?? '');
  if (first === undefined || first > 7) return null;
  let hex = '';
  let bits = first;
  let have = 3;
  for (let at = start + 1; at < id.length; at++) {
    const value = VALUE_OF.get(id[at] ?? '');
    if (value === undefined) return null;
    bits = (bits << 5) | value;
    have += 5;
    while (have >= 4) {
      have -= 4;
      hex += ((bits >> have) & 15).toString(16);
    }
    bits &= (1 << have) - 1;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
