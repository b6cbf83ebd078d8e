import { encodeId } from '../../model/ids.ts';

/** The URL prefix of a mailbox's uploads. The id of the upload follows. */
export function uploadsAddress(mailboxId: string): string {
  return `/mail/api/mailboxes/${encodeId('mbx', mailboxId)}/uploads/`;
}
