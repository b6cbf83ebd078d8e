/**
 * The return path of outgoing mail: an address per recipient to which reports are sent. The address itself proves which recipient a
 * report is about. It is `b+<token>@send.<domain>`, and the token is 62 characters of Crockford base32 in lower case:
 *
 *   48  the project's and the email's uuid without their version and variant digits: 60 hexadecimal digits
 *    2  the two variants (2 bits each) and the number of the recipient (6 bits)
 *   12  the first 60 bits of HMAC-SHA-256 over the first 50 characters and the domain
 *
 * With `b+` the local part has 64 octets, the maximum (RFC 5321, section 4.5.3.1.1). The address is the same for every
 * attempt, because a server that greylists expects the same sender again.
 *
 * Mail from a mailbox has one return path per day, `m+<token>@send.<domain>`, for reports and automatic replies. In this token, the second
 * uuid is the mailbox's, and the number of the day replaces the number of the recipient: the MAC covers the whole number, but the token
 * contains only its last 6 bits.
 * Forwarded mail has `f+<token>@send.<domain>`, where the second uuid is the forwarded message's.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../model/day.ts';
import * as clock from '../model/clock.ts';
import { timeOf } from '../model/ids.ts';

/** The label of the key for `Sealer.deriveKey`. */
export const RETURN_PATH_KEY = 'return path';

/** The recipient that a return path identifies. */
export interface ReturnPathOf {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  emailId: string;
  /** Position of the recipient in the envelope, or `WHOLE_EMAIL`. */
  recipientIndex: number;
}

/** The mailbox that a return path belongs to. */
export interface MailboxReturnPath {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  mailboxId: string;
}

/** The forwarded message that a return path identifies. */
export interface ForwardReturnPath {
  /** uuid, version 7 */
  projectId: string;
  /** uuid, version 7 */
  submissionId: string;
}

/** The recipient index in a token that identifies the whole email. An email has at most 50 recipients. */
export const WHOLE_EMAIL = 63;

/** The lifetime of a return path. Reports arrive within days, and after this time a leaked address is worthless. */
const VALID_DAYS = 30;
const VALID_MS = VALID_DAYS * DAY_MS;
/**
 * The number of days that a token can distinguish. It exceeds the number of days from which tokens are valid at any time, one of which is
 * in the future.
 */
const DAYS = 64;
/** The clock of the machine that created the email may be this far ahead of ours. */
const CLOCK_SKEW_MS = 3_600_000;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE_OF = new Map(Array.from(ALPHABET, (character, value) => [character, value]));
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
// Without the u flag /i folds only ASCII. With it, the Kelvin sign would match k.
const TOKEN = /^([bfmr])\+([0-9a-hjkmnp-tv-z]{50})([0-9a-hjkmnp-tv-z]{12})@([a-z0-9.-]{1,255})$/i;
const COMPLAINT_ADDRESS = /^c\+([0-9a-hjkmnp-tv-z]{12})@([a-z0-9.-]{1,255})$/i;
const MAC_CHARACTERS = 12;

export class ReturnPaths {
  readonly #key: KeyObject;

  /** @param key a key for this purpose only: `sealer.deriveKey(RETURN_PATH_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** @param mailFromDomain the domain of the address, in A-labels: `send.acme.example` */
  mint(of: ReturnPathOf, mailFromDomain: string): string {
    return this.#mint('b', [of.projectId, of.emailId], of.recipientIndex, mailFromDomain);
  }

  /**
   * The address to which reports on a mailbox's mail are sent.
   * @param sentAt when the message was first sent, because all attempts share the address
   * @param mailFromDomain as for `mint`
   */
  mintForMailbox({ projectId, mailboxId }: MailboxReturnPath, sentAt: Date, mailFromDomain: string): string {
    const day = Math.floor(sentAt.getTime() / DAY_MS);
    return this.#mint('m', [projectId, mailboxId], day % DAYS, mailFromDomain, day);
  }

  /** The mailbox that an address was minted for, validated as in `verify`. The mailbox may have been deleted in the meantime. */
  verifyMailbox(address: string, nowMs: number = clock.nowMs()): MailboxReturnPath | null {
    const parts = partsOf('m', address);
    if (parts === null) return null;
    // The latest day whose last 6 bits match. An address from 64 days earlier has the same bits, but its MAC differs, because the MAC
    // covers the whole day.
    const tomorrow = Math.floor((nowMs + CLOCK_SKEW_MS) / DAY_MS);
    const age = (tomorrow - parts.number + DAYS) % DAYS;
    if (age > VALID_DAYS || !this.#isRight('m', parts, tomorrow - age)) return null;
    const [projectId, mailboxId] = parts.ids;
    return { projectId, mailboxId };
  }

  /** The recipient that an address was minted for, in any letter case. Null for any other address, and after 30 days. */
  verify(address: string, nowMs: number = clock.nowMs()): ReturnPathOf | null {
    return this.#verify('b', address, nowMs);
  }

  /**
   * The address for reports on a message that a mailbox forwards. The author of the message gets no reports.
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
   * Identifies the email in the header of its message, for reports that contain the header but no return path. All recipients can
   * see the reference, so it is not accepted as an address.
   * @param mailFromDomain as for `mint`
   */
  mintReference(of: Omit<ReturnPathOf, 'recipientIndex'>, mailFromDomain: string): string {
    return this.#mint('r', [of.projectId, of.emailId], WHOLE_EMAIL, mailFromDomain);
  }

  verifyReference(text: string, nowMs: number = clock.nowMs()): ReturnPathOf | null {
    return this.#verify('r', text, nowMs);
  }

  /**
   * The address that the operator of a domain registers with feedback loops. The address belongs to no email and does not expire.
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
    if (!(number >= 0 && number < 64)) throw new Error('the recipient number does not fit a return path');
    const domain = mailFromDomain.toLowerCase();
    const rest = (variantOf(ids[0]) << 8) | (variantOf(ids[1]) << 6) | number;
    const token =
      toBase32(Buffer.from(ids.map(digitsOf).join(''), 'hex'), 48) +
      ALPHABET.charAt(rest >> 5) +
      ALPHABET.charAt(rest & 31);
    return `${kind}+${token}${this.#mac(kind, token, domain, day)}@${domain}`;
  }

  #verify(kind: 'b' | 'f' | 'r', address: string, nowMs: number): ReturnPathOf | null {
    const parts = partsOf(kind, address);
    if (parts === null || !this.#isRight(kind, parts)) return null;
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

/**
 * The kind of a token: `b` identifies a recipient of an email, `f` a forwarded message, `m` a mailbox, and `r` an email (a reference). The
 * MAC covers the kind, so a token of one kind is not valid as another.
 */
type Kind = 'b' | 'f' | 'm' | 'r';

interface Parts {
  token: string;
  mac: string;
  domain: string;
  ids: [string, string];
  number: number;
}

/** Splits an address without verifying it. */
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

/** Compares in constant time. Attack: a comparison that ends at the first difference reveals how much of a guess is right. */
function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

/** The 30 hexadecimal digits of a UUIDv7 without its version and variant (RFC 9562, section 5.7). */
function digitsOf(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(15, 18) + uuid.slice(20, 23) + uuid.slice(24);
}

/** The two bits next to the variant of a uuid. */
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

/** @param text characters of the alphabet, a whole number of bytes */
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
