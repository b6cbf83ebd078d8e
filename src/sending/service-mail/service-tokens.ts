/**
 * Message-IDs, and copies of them in a field of their own, by which service mail is recognised when it comes back from outside: from a smart host, or by way of an MX elsewhere.
 *
 *   <svc.(uuid of the submission, 32 hexadecimal digits).(the first 128 bits of HMAC-SHA-256, the same)@domain>
 *
 * A token proves nothing about the rest of the message: every recipient of service mail can copy it. So it only takes something away: a message
 * with a live token is not forwarded or answered. It passes no filter that another message would not pass.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { INVITATION_HOURS } from '../../accounts/limits.ts';
import { HOUR_MS } from '../../model/day.ts';
import { timeOf } from '../../model/ids.ts';

/** In lower case: the field that has the Message-ID once more, since Amazon SES and some smart hosts write one of their own. */
export const SERVICE_FIELD = 'x-posthorn-service';

/** The label of the key in `Sealer.deriveKey`. */
export const SERVICE_TOKEN_KEY = 'service mail token';

/** The life of the longest link. */
const LIVE_MS = INVITATION_HOURS * HOUR_MS;
/** The clock of the machine that made the mail may be ahead of ours by as much. */
const CLOCK_SKEW_MS = HOUR_MS;
/** Longer texts are not parsed. A domain has at most 255 octets (RFC 5321, section 4.5.3.1.2). */
const MAX_LENGTH = 400;
const MAC_BYTES = 16;
const MESSAGE_ID = /^<svc\.([0-9a-f]{32})\.([0-9a-f]{32})@[^<>@\s]{1,255}>$/;

export class ServiceTokens {
  readonly #key: KeyObject;

  /** @param key a secret key of its own: `sealer.deriveKey(SERVICE_TOKEN_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /**
   * @param submissionId UUIDv7 of the mail: it has the time from which the token is live
   * @param domain of the sender, in A-labels
   * @returns with angle brackets
   */
  messageIdFor(submissionId: string, domain: string): string {
    const id = submissionId.replaceAll('-', '');
    return `<svc.${id}.${this.#mac(id).toString('hex')}@${domain}>`;
  }

  /**
   * Whether this installation made the Message-ID for service mail within the last seven days.
   * @param messageId with angle brackets, as a message from anywhere has it
   */
  isLive(messageId: string | null, nowMs: number): boolean {
    if (messageId === null || messageId.length > MAX_LENGTH) return false;
    // A server on the way may change the case.
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
