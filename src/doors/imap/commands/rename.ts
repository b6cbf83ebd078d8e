import { accountOf, OTHER_ACCOUNT, READ_GRANT } from '../accounts.ts';
import { folderFailure, sendNormalizedName, withoutDelimiter } from '../mailbox-responses.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/**
 * RENAME (RFC 9051, section 6.3.6). Child mailboxes are renamed, too. Renaming the Inbox moves its messages, but does not rename its
 * children.
 */
export async function rename(
  session: SignedInSession,
  { from, to }: Named<'RENAME'>,
): Promise<TaggedResponse> {
  const { store } = session.services;
  const name = withoutDelimiter(to);
  const source = await accountOf(session.mailbox, store, from);
  const target = await accountOf(session.mailbox, store, name);
  const { account } = source;
  if (account.key.mailboxId !== target.account.key.mailboxId) return OTHER_ACCOUNT;
  if (!account.mayWrite) return READ_GRANT;
  const folder = await session.findFolder(from);
  const result =
    folder?.role === 'inbox'
      ? await store.renameInbox(folder.key, target.name)
      : await store.renameFolder(account.key, source.name, target.name);
  if (result.outcome !== 'done') return folderFailure(result);
  await sendNormalizedName(session, account, name, result.folderId);
  return ok('Renamed');
}
