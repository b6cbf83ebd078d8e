import type { Upload } from '../../contract/mail/uploads.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { UploadRow } from './uploads.ts';
import { uploadsAddress } from './uploads-address.ts';

export function uploadBody(
  { mailboxId }: MailboxKey,
  { id, name, type, octets }: Pick<UploadRow, 'id' | 'name' | 'type' | 'octets'>,
): Upload {
  const upload = encodeId('upl', id);
  return { id: upload, name, type, octets, url: `${uploadsAddress(mailboxId)}${upload}` };
}
