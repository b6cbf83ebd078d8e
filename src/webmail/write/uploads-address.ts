import { encodeId } from '../../model/ids.ts';

/** Where pages find the uploads of a mailbox, without the id of one. */
export function uploadsAddress(mailboxId: string): string {
  return `/mail/api/mailboxes/${encodeId('mbx', mailboxId)}/uploads/`;
}
