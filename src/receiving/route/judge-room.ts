/** Whether a mailbox, and the plan of its project, have room for a message, as far as that is known before the message comes. Pure. */
import type { QuotaUse } from '../../store/room.ts';

/** A sender is told to come again for so long: somebody may make room. */
const PATIENCE_MS = 24 * 60 * 60_000;

export type NoRoom = 'mailboxFull' | 'mailboxFullForLong' | 'messageOverQuota';

/**
 * @param size that MAIL declared; null: unknown, and then one octet of room is enough
 * @returns null: there is room
 */
export function judgeRoom(
  { octets, quotaOctets, fullSince, storageLeft }: QuotaUse,
  size: number | null,
  nowMs: number,
): NoRoom | null {
  if (size !== null && size > quotaOctets) return 'messageOverQuota';
  const least = size ?? 1;
  if (octets + least <= quotaOctets && (storageLeft === null || least <= storageLeft)) return null;
  return fullSince !== null && nowMs - fullSince.getTime() > PATIENCE_MS
    ? 'mailboxFullForLong'
    : 'mailboxFull';
}
