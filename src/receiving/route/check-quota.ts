/** Whether a mailbox, and the plan of its project, have room for a message, as far as that is known before the message comes. Pure. */
import type { QuotaUse } from '../../store/usage.ts';

/** A sender is told to come again for so long: somebody may make room. */
const PATIENCE_MS = 24 * 60 * 60_000;

export type QuotaRefusal = 'mailboxFull' | 'mailboxFullForLong' | 'messageOverQuota';

/**
 * @param size that MAIL declared; null: unknown, and then one octet of room is enough
 * @returns null: there is room
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
  /** Those that have room. */
  roomy: Mailbox[];
  /** Those that were not known to be full. */
  newlyFull: Mailbox[];
  /** What the sender hears when nobody has room; null: somebody has. */
  refusal: QuotaRefusal | null;
}

/** The one with which a sender comes again is before those with which it gives up. */
const MILDEST: readonly QuotaRefusal[] = ['mailboxFull', 'mailboxFullForLong', 'messageOverQuota'];

/**
 * Which of the mailboxes that an address leads to take a message. There is one answer, so those without room miss what the others take
 * (docs/mailboxes.md, Aliases).
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
