/**
 * Whether the mailbox and the project's plan have enough free space for a message, as far as is known before the message is
 * received. Pure.
 */
import type { QuotaUse } from '../../store/usage.ts';

/** How long the sender should retry, because the user may free space in the meantime. */
const PATIENCE_MS = 24 * 60 * 60_000;

export type QuotaRefusal = 'mailboxFull' | 'mailboxFullForLong' | 'messageOverQuota';

/**
 * @param size the size that MAIL declared; if null, one octet of free space is enough
 * @returns null if there is enough free space
 */
export function checkQuota(
  { octets, quotaOctets, fullSince, storageLeft }: QuotaUse,
  size: number | null,
  nowMs: number,
): QuotaRefusal | null {
  if (size !== null && size > quotaOctets) return 'messageOverQuota';
  const least = size ?? 1;
  if (octets + least <= quotaOctets && (storageLeft === null || least <= storageLeft)) return null;
  return fullSince !== null && nowMs - fullSince.getTime() > PATIENCE_MS
    ? 'mailboxFullForLong'
    : 'mailboxFull';
}

export interface Rooms<Mailbox> {
  /** The mailboxes with enough free space. */
  roomy: Mailbox[];
  /** The mailboxes that were not yet marked as full. */
  newlyFull: Mailbox[];
  /** The reply if no mailbox has enough free space, otherwise null. */
  refusal: QuotaRefusal | null;
}

/** Temporary errors, which the sender retries, come before permanent ones. */
const MILDEST: readonly QuotaRefusal[] = ['mailboxFull', 'mailboxFullForLong', 'messageOverQuota'];

/**
 * Decides which mailboxes of an address get a message. There is only one reply, so full mailboxes miss a message that others
 * accept (docs/mailboxes.md, Aliases).
 */
export function judgeRooms<Mailbox extends { room: QuotaUse }>(
  mailboxes: readonly Mailbox[],
  size: number | null,
  nowMs: number,
): Rooms<Mailbox> {
  const roomy: Mailbox[] = [];
  const newlyFull: Mailbox[] = [];
  const refusals = new Set<QuotaRefusal>();
  for (const mailbox of mailboxes) {
    const refusal = checkQuota(mailbox.room, size, nowMs);
    if (refusal === null) roomy.push(mailbox);
    else refusals.add(refusal);
    if (refusal === 'mailboxFull' && mailbox.room.fullSince === null) newlyFull.push(mailbox);
  }
  const refusal = roomy.length > 0 ? undefined : MILDEST.find((one) => refusals.has(one));
  return { roomy, newlyFull, refusal: refusal ?? null };
}
