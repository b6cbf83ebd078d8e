import type { FolderUse } from '../../../model/folder-roles.ts';
import { accountOf, READ_GRANT } from '../accounts.ts';
import { folderFailure, sendNormalizedName, withoutDelimiter } from '../mailbox-responses.ts';
import { SPECIAL_USES } from '../mailbox-list.ts';
import { formatObjectId } from '../object-ids.ts';
import { type TaggedResponse, no, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

const USES: ReadonlyMap<string, FolderUse> = new Map(
  Object.entries(SPECIAL_USES).map(([attribute, use]) => [attribute.toLowerCase(), use]),
);

/** CREATE (RFC 9051, section 6.3.4; RFC 6154, section 3; RFC 8474, section 4.2). */
export async function create(
  session: SignedInSession,
  { mailbox, use }: Named<'CREATE'>,
): Promise<TaggedResponse> {
  const uses = use.map((attribute) => USES.get(attribute.toLowerCase()) ?? null);
  const known = uses.filter((each) => each !== null);
  if (known.length < uses.length) return no('USEATTR', 'Unsupported special-use attribute');
  const { store } = session.services;
  const name = withoutDelimiter(mailbox);
  const place = await accountOf(session.mailbox, store, name);
  if (!place.account.mayWrite) return READ_GRANT;
  const folder = { name: place.name, uses: [...new Set(known)], subscribed: false };
  const result = await store.createFolder(place.account.key, folder);
  if (result.outcome !== 'done') return folderFailure(result);
  await sendNormalizedName(session, place.account, name, result.folderId);
  return ok('Created', `MAILBOXID (${formatObjectId('mailbox', result.folderId)})`);
}
