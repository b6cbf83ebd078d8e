/**
 * The return path of outgoing mail: an address per recipient, to which reports come back and which proves by itself
 * what they are about. `b+<token>@send.<domain>`, and the token is 62 characters of Crockford base32 in lower case:
 *
 *   48  the project's and the email's uuid without their version and variant digits: 60 hexadecimal digits
 *    2  the two variants (2 bits each) and the number of the recipient (6 bits)
 *   12  the first 60 bits of HMAC-SHA-256 over the 50 before and the domain
 *
 * With `b+` that is 64 octets, all that a local part may have (RFC 5321, section 4.5.3.1.1). Nothing in it depends on
 * the attempt: a server that greylists wants to see the same sender again.
 *
 * What a mailbox sends has one for each day, `m+<token>@send.<domain>`, to which its reports and answers come. There the second uuid is the
 * mailbox's, and in place of the number stands the day, of which the MAC has all and the token the last 6 bits. What it forwards has
 * `f+<token>@send.<domain>`, where the second uuid is that of the forwarded message.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../model/day.ts';
import * as clock from '../model/clock.ts';
import { timeOf } from '../model/ids.ts';

/** The label of the key in `Sealer.deriveKey`. */
export const RETURN_PATH_KEY = 'return path';

/** What a return path stands for. */
export interface ReturnPathOf {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  emailId: string;
  /** Position of the recipient in the envelope, or `WHOLE_EMAIL`. */
  recipientIndex: number;
}

/** The mailbox that a return path leads to. */
export interface MailboxReturnPath {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  mailboxId: string;
}

/** The forwarded message that a return path stands for. */
export interface ForwardReturnPath {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  submissionId: string;
}

/** The recipient index of a token that stands for the whole email. An email has at most 50 recipients. */
export const WHOLE_EMAIL = 63;

/** Reports come within days; an address that leaked is worth nothing after this. */
const VALID_DAYS = 30;
const VALID_MS = VALID_DAYS * DAY_MS;
/** As many as the token can tell apart; more than are valid at a time, and one ahead. */
const DAYS = 64;
/** The clock of the machine that made the email may be ahead of ours by as much. */
const CLOCK_SKEW_MS = 3_600_000;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE_OF = new Map(Array.from(ALPHABET, (character, value) => [character, value]));
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
// Without the u flag /i folds ASCII alone: with it, the Kelvin sign would be a k.
const TOKEN = /^([bfmr])\+([0-9a-hjkmnp-tv-z]{50})([0-9a-hjkmnp-tv-z]{12})@([a-z0-9.-]{1,255})$/i;
const COMPLAINT_ADDRESS = /^c\+([0-9a-hjkmnp-tv-z]{12})@([a-z0-9.-]{1,255})$/i;
const MAC_CHARACTERS = 12;

export class ReturnPaths {
  readonly #key: KeyObject;

  /** @param key a secret key of its own: `sealer.deriveKey(RETURN_PATH_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** @param mailFromDomain the domain of the address, in A-labels: `send.acme.example` */
  mint(of: ReturnPathOf, mailFromDomain: string): string {
    return this.#mint('b', [of.projectId, of.emailId], of.recipientIndex, mailFromDomain);
  }

  /**
   * Where reports on what a mailbox sends come back to.
   * @param sentAt when the message was sent first: its attempts share the address
   * @param mailFromDomain as for `mint`
   */
  mintForMailbox({ projectId, mailboxId }: MailboxReturnPath, sentAt: Date, mailFromDomain: string): string {
    const day = Math.floor(sentAt.getTime() / DAY_MS);
    return this.#mint('m', [projectId, mailboxId], day % DAYS, mailFromDomain, day);
  }

  /** The mailbox that an address was minted for, as `verify` reads it. It may be gone. */
  verifyMailbox(address: string, nowMs: number = clock.nowMs()): MailboxReturnPath | null {
    const parts = partsOf('m', address);
    if (parts === null) return null;
    // The youngest day that ends so: one of 64 days before has another MAC.
    const tomorrow = Math.floor((nowMs + CLOCK_SKEW_MS) / DAY_MS);
    const age = (tomorrow - parts.number + DAYS) % DAYS;
    if (age > VALID_DAYS || !this.#isRight('m', parts, tomorrow - age)) return null;
    const [projectId, mailboxId] = parts.ids;
    return { projectId, mailboxId };
  }

  /** What an address was minted for, in whatever case it comes back. Null for any other address, and after 30 days. */
  verify(address: string, nowMs: number = clock.nowMs()): ReturnPathOf | null {
    return this.#verify('b', address, nowMs);
  }

  /**
   * Where reports on a message come back to that a mailbox forwards: they are not those of who wrote it.
   * @param submissionId UUIDv7
   * @param mailFromDomain as for `mint`
   */
  mintForForward({ projectId, submissionId }: ForwardReturnPath, mailFromDomain: string): string {
    return this.#mint('f', [projectId, submissionId], WHOLE_EMAIL, mailFromDomain);
  }

  verifyForward(address: string, nowMs: number = clock.nowMs()): ForwardReturnPath | null {
    const found = this.#verify('f', address, nowMs);
    return found === null ? null : { projectId: found.projectId, submissionId: found.emailId };
  }

  /**
   * Names the email in the header of its message, for reports that keep the header and no return path. All recipients see
   * it, so it is no address to write to.
   * @param mailFromDomain as for `mint`
   */
  mintReference(of: Omit<ReturnPathOf, 'recipientIndex'>, mailFromDomain: string): string {
    return this.#mint('r', [of.projectId, of.emailId], WHOLE_EMAIL, mailFromDomain);
  }

  verifyReference(text: string, nowMs: number = clock.nowMs()): ReturnPathOf | null {
    return this.#verify('r', text, nowMs);
  }

  /**
   * The address of a domain that an operator registers at feedback loops. It stands for no email, and does not expire.
   * @param mailFromDomain as for `mint`
   */
  complaintAddress(mailFromDomain: string): string {
    const domain = mailFromDomain.toLowerCase();
    return `c+${this.#mac('c', '', domain)}@${domain}`;
  }

  isComplaintAddress(address: string): boolean {
    const [, mac, domain] = COMPLAINT_ADDRESS.exec(address)?.map((part) => part.toLowerCase()) ?? [];
    return mac !== undefined && domain !== undefined && same(mac, this.#mac('c', '', domain));
  }

  #mint(
    kind: Kind,
    ids: readonly [string, string],
    number: number,
    mailFromDomain: string,
    day?: number,
  ): string {
    if (!ids.every((id) => UUID_V7.test(id))) throw new Error('not a UUIDv7');
    if (!(number >= 0 && number < 64)) throw new Error('a return path cannot name this recipient');
    const domain = mailFromDomain.toLowerCase();
    const rest = (variantOf(ids[0]) << 8) | (variantOf(ids[1]) << 6) | number;
    const token =
      toBase32(Buffer.from(ids.map(digitsOf).join(''), 'hex'), 48) +
      ALPHABET.charAt(rest >> 5) +
      ALPHABET.charAt(rest & 31);
    return `${kind}+${token}${this.#mac(kind, token, domain, day)}@${domain}`;
  }

  #verify(wanted: 'b' | 'f' | 'r', address: string, nowMs: number): ReturnPathOf | null {
    const parts = partsOf(wanted, address);
    if (parts === null || !this.#isRight(wanted, parts)) return null;
    const [projectId, emailId] = parts.ids;
    const ageMs = nowMs - timeOf(emailId).getTime();
    if (ageMs > VALID_MS || ageMs < -CLOCK_SKEW_MS) return null;
    return { projectId, emailId, recipientIndex: parts.number };
  }

  #isRight(kind: Kind, { token, mac, domain }: Parts, day?: number): boolean {
    return same(mac, this.#mac(kind, token, domain, day));
  }

  #mac(kind: Kind | 'c', token: string, domain: string, day?: number): string {
    const text = `${kind}+${token}@${domain}${day === undefined ? '' : ` ${day}`}`;
    const digest = createHmac('sha256', this.#key).update(text).digest();
    return toBase32(digest.subarray(0, 10), MAC_CHARACTERS);
  }
}

/** Each has MACs of its own: none is taken for another. */
type Kind = 'b' | 'f' | 'm' | 'r';

interface Parts {
  token: string;
  mac: string;
  domain: string;
  ids: [string, string];
  number: number;
}

/** An address taken apart, of which nothing is proven. */
function partsOf(wanted: Kind, address: string): Parts | null {
  const [, kind, token, mac, domain] = TOKEN.exec(address)?.map((part) => part.toLowerCase()) ?? [];
  if (kind !== wanted || token === undefined || mac === undefined || domain === undefined) return null;
  const digits = fromBase32(token.slice(0, 48)).toString('hex');
  const rest = (valueAt(token, 48) << 5) | valueAt(token, 49);
  const ids: Parts['ids'] = [
    toUuid(digits.slice(0, 30), rest >> 8),
    toUuid(digits.slice(30), (rest >> 6) & 3),
  ];
  return { token, mac, domain, ids, number: rest & 63 };
}

/** Attack: a comparison that ended at the first difference would tell how much of a guess is right. */
function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

/** The 30 hexadecimal digits of a UUIDv7 that are neither its version nor its variant (RFC 9562, section 5.7). */
function digitsOf(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(15, 18) + uuid.slice(20, 23) + uuid.slice(24);
}

/** The two bits beside the variant of a uuid. */
function variantOf(uuid: string): number {
  return Number.parseInt(uuid.charAt(19), 16) & 3;
}

function toUuid(digits: string, variant: number): string {
  const head = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12, 15)}`;
  return `${head}-${(8 | variant).toString(16)}${digits.slice(15, 18)}-${digits.slice(18)}`;
}

function valueAt(text: string, at: number): number {
  return VALUE_OF.get(text.charAt(at)) ?? 0;
}

function toBase32(bytes: Buffer, characters: number): string {
  let text = '';
  let bits = 0;
  let have = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    have += 8;
    while (have >= 5 && text.length < characters) {
      have -= 5;
      text += ALPHABET.charAt((bits >> have) & 31);
    }
    bits &= (1 << have) - 1;
  }
  return text;
}

/** @param text of characters of the alphabet, whole bytes long */
function fromBase32(text: string): Buffer {
  const bytes = Buffer.alloc((text.length * 5) >> 3);
  let bits = 0;
  let have = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    bits = (bits << 5) | valueAt(text, index);
    have += 5;
    if (have < 8) continue;
    have -= 8;
    bytes[at++] = bits >> have;
    bits &= (1 << have) - 1;
  }
  return bytes;
}
