/**
 * Whether the mailbox and the project's plan have enough free space for a message, as far as is known before the message is
 * received. Pure.
 */
import type { QuotaUse } from '../../store/usage.ts';

/** For this long, mail to a full mailbox gets a temporary error, so that the sender retries: the user may free space in the meantime. */
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

export interface QuotaVerdict<Mailbox> {
  /** The mailboxes with enough free space. */
  withSpace: Mailbox[];
  /** The mailboxes that were not yet marked as full. */
  newlyFull: Mailbox[];
  /** The reply if no mailbox has enough free space, otherwise null. */
  refusal: QuotaRefusal | null;
}

/** Temporary errors, which the sender retries, come before permanent ones. */
const MILDEST: readonly QuotaRefusal[] = ['mailboxFull', 'mailboxFullForLong', 'messageOverQuota'];

/**
 * Decides which mailboxes of an address get a message. The server sends only one reply for all of them, so a full mailbox misses a message
 * that another mailbox accepts (docs/mailboxes.md, Aliases).
 */
export function judgeQuotas<Mailbox extends { usage: QuotaUse }>(
  mailboxes: readonly Mailbox[],
  size: number | null,
  nowMs: number,
): QuotaVerdict<Mailbox> {
  const withSpace: Mailbox[] = [];
  const newlyFull: Mailbox[] = [];
  const refusals = new Set<QuotaRefusal>();
  for (const mailbox of mailboxes) {
    const refusal = checkQuota(mailbox.usage, size, nowMs);
    if (refusal === null) withSpace.push(mailbox);
    else refusals.add(refusal);
    if (refusal === 'mailboxFull' && mailbox.usage.fullSince === null) newlyFull.push(mailbox);
  }
  const refusal = withSpace.length > 0 ? undefined : MILDEST.find((one) => refusals.has(one));
  return { withSpace, newlyFull, refusal: refusal ?? null };
}
