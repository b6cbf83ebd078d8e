/**
 * Message-IDs that identify service mail when it returns from outside, through a smart host or an external MX. A separate header field has
 * a copy of the Message-ID.
 *
 *   <svc.(uuid of the submission, 32 hexadecimal digits).(the first 128 bits of HMAC-SHA-256, in the same format)@domain>
 *
 * A token proves nothing about the rest of the message, because every recipient of service mail can copy the token. So a token only
 * restricts: a message with a live token is not forwarded, and no automatic reply is sent. It does not exempt the message from any filter.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { INVITATION_HOURS } from '../../accounts/limits.ts';
import { HOUR_MS } from '../../model/day.ts';
import { timeOf } from '../../model/ids.ts';

/**
 * The header field with the copy of the Message-ID, in lower case. Needed because Amazon SES and some smart hosts replace the Message-ID.
 */
export const SERVICE_FIELD = 'x-posthorn-service';

/** The label of the key in `Sealer.deriveKey`. */
export const SERVICE_TOKEN_KEY = 'service mail token';

/** The lifetime of the longest link. */
const LIVE_MS = INVITATION_HOURS * HOUR_MS;
/** The maximum time by which the clock of the machine that created the mail may be ahead. */
const CLOCK_SKEW_MS = HOUR_MS;
/** A longer Message-ID is not parsed. A domain has at most 255 octets (RFC 5321, section 4.5.3.1.2). */
const MAX_LENGTH = 400;
const MAC_BYTES = 16;
const MESSAGE_ID = /^<svc\.([0-9a-f]{32})\.([0-9a-f]{32})@[^<>@\s]{1,255}>$/;

export class ServiceTokens {
  readonly #key: KeyObject;

  /** @param key a secret key that is used for nothing else: `sealer.deriveKey(SERVICE_TOKEN_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /**
   * @param submissionId UUIDv7 of the mail; its time is the start of the token's lifetime
   * @param domain the sender's domain, in A-labels
   * @returns the Message-ID with angle brackets
   */
  messageIdFor(submissionId: string, domain: string): string {
    const id = submissionId.replaceAll('-', '');
    return `<svc.${id}.${this.#mac(id).toString('hex')}@${domain}>`;
  }

  /**
   * Whether this installation created the Message-ID for service mail within the last seven days.
   * @param messageId an untrusted Message-ID with angle brackets
   */
  isLive(messageId: string | null, nowMs: number): boolean {
    if (messageId === null || messageId.length > MAX_LENGTH) return false;
    // A server in transit may change the case of the Message-ID.
    const [, id, mac] = MESSAGE_ID.exec(messageId.toLowerCase()) ?? [];
    if (id === undefined || mac === undefined) return false;
    if (!timingSafeEqual(Buffer.from(mac, 'hex'), this.#mac(id))) return false;
    const ageMs = nowMs - timeOf(`${id.slice(0, 8)}-${id.slice(8)}`).getTime();
    return ageMs >= -CLOCK_SKEW_MS && ageMs <= LIVE_MS;
  }

  #mac(id: string): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, MAC_BYTES);
  }
}
