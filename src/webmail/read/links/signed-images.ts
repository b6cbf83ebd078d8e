/**
 * Signed URLs of images within the frame of a message. The document in the frame has no origin, so browsers send no cookies, and the URL
 * itself must authorize the request. A URL is valid for one image, message and mailbox, for at most two hours, so that no caller can make
 * this service fetch anything else.
 *
 *   …/messages/{id}/remote?url=<url>&sig=<signature>
 *   …/messages/{id}/parts/{part}/inline?sig=<signature>
 *
 * The signature is base64url of the hour (4 bytes), the uuid of the project, and 16 bytes of HMAC-SHA-256 over the hour, the project, the
 * mailbox, the message and the target.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import * as clock from '../../../model/clock.ts';
import { encodeId } from '../../../model/ids.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';

/** The label of this key for `Sealer.deriveKey`. */
export const MAIL_IMAGES_KEY = 'mail-images';

/** The image: a remote URL, or a part of the message. */
type Target = `remote ${string}` | `part ${string}`;

const HOUR_MS = 3_600_000;
const HEAD_BYTES = 20;
const MAC_BYTES = 16;
const SIGNATURE = /^[A-Za-z0-9_-]{48}$/;

export class SignedImages {
  readonly #key: KeyObject;

  /** @param key a secret key that has no other use: `sealer.deriveKey(MAIL_IMAGES_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** The signed URL of a remote image. The URL stays the same within an hour, so that browsers can cache the image. */
  remote(mailbox: MailboxKey, objectId: string, url: string): string {
    return `${pathOf(mailbox, objectId)}/remote?url=${encodeURIComponent(url)}&sig=${this.#sign(mailbox, objectId, `remote ${url}`)}`;
  }

  part(mailbox: MailboxKey, objectId: string, part: string): string {
    return `${pathOf(mailbox, objectId)}/parts/${part}/inline?sig=${this.#sign(mailbox, objectId, `part ${part}`)}`;
  }

  /** @returns the project if the signature is valid and has not expired, otherwise null */
  verify(mailboxId: string, objectId: string, target: Target, signature: string): string | null {
    if (!SIGNATURE.test(signature)) return null;
    const bytes = Buffer.from(signature, 'base64url');
    const head = bytes.subarray(0, HEAD_BYTES);
    const age = Math.floor(clock.nowMs() / HOUR_MS) - head.readUInt32BE(0);
    if (age < 0 || age > 1) return null;
    const mac = this.#mac(head, mailboxId, objectId, target);
    return timingSafeEqual(mac, bytes.subarray(HEAD_BYTES)) ? uuidOf(head.toString('hex', 4)) : null;
  }

  #sign({ projectId, mailboxId }: MailboxKey, objectId: string, target: Target): string {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(Math.floor(clock.nowMs() / HOUR_MS), 0);
    head.write(projectId.replaceAll('-', ''), 4, 'hex');
    return Buffer.concat([head, this.#mac(head, mailboxId, objectId, target)]).toString('base64url');
  }

  #mac(head: Buffer, mailboxId: string, objectId: string, target: Target): Buffer {
    return createHmac('sha256', this.#key)
      .update(head)
      .update(`${mailboxId} ${objectId} ${target}`)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}

function pathOf({ mailboxId }: MailboxKey, objectId: string): string {
  return `/mail/api/mailboxes/${encodeId('mbx', mailboxId)}/messages/${encodeId('msg', objectId)}`;
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
