import { READ_GRANT } from '../accounts.ts';
import { folderFailure } from '../mailbox-responses.ts';
import { type TaggedResponse, RESPONSES, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/** DELETE (RFC 9051, section 6.3.5). Child mailboxes stay. */
export async function deleteMailbox(
  session: SignedInSession,
  { mailbox }: Named<'DELETE'>,
): Promise<TaggedResponse> {
  const folder = await session.findFolder(mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  if (!folder.account.mayWrite) return READ_GRANT;
  const result = await session.services.store.deleteFolder(folder.key);
  if (result.outcome !== 'done') return folderFailure(result);
  if (session.selected?.key.folderId === folder.id) {
    session.select(null);
    session.untagged('OK [CLOSED] The selected mailbox was deleted');
  }
  return ok('Deleted');
}
