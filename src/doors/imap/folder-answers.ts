/** What commands answer that make mailboxes, or need one that there is not (codes of RFC 5530, section 3). */
import { formatList } from '../../rfc/imap/format-list.ts';
import { normalFolderName } from '../../store/folder-name.ts';
import type { FolderResult } from '../../store/folders.ts';
import { DELIMITER } from './mailbox-list.ts';
import { type TaggedResponse, RESPONSES, no } from './responses.ts';
import type { OwnSession } from './session.ts';

type Outcome = Exclude<FolderResult['outcome'], 'done'>;

export const REFUSALS = {
  'no-mailbox': RESPONSES.tryAgain,
  'no-folder': RESPONSES.noMailbox,
  'bad-name': no('CANNOT', 'No mailbox can have this name'),
  taken: no('ALREADYEXISTS', 'There is a mailbox of this name'),
  'too-many': no('LIMIT', 'There are as many mailboxes as there can be'),
  'has-role': no('CANNOT', 'This mailbox stays: every account has it'),
} as const satisfies Record<Outcome, TaggedResponse>;

/** Where messages should go to a mailbox that there is not, and could be (RFC 9051, section 6.4.7). */
export const TRY_CREATE = no('TRYCREATE', 'There is no such mailbox');

/** The same, as far as any mailbox can have the name. */
export function noTarget(name: string): TaggedResponse {
  return normalFolderName(name) === null ? REFUSALS['bad-name'] : TRY_CREATE;
}

/** The delimiter at the end says that there will be others within it, which takes no word here (RFC 9051, section 6.3.4). */
export function withoutDelimiter(name: string): string {
  return name.endsWith(DELIMITER) ? name.slice(0, -1) : name;
}

/** Tells a client that asked for another form of a name which one it has (RFC 9051, section 6.3.9.7). */
export async function sayNormalName(session: OwnSession, asked: string, folderId: string): Promise<void> {
  if (!session.isRev2 || asked.normalize('NFC') === asked) return;
  const folders = await session.services.store.folders(session.mailbox);
  const folder = folders.find(({ id }) => id === folderId);
  if (folder === undefined) return;
  const attributes = folder.subscribed ? ['\\Subscribed'] : [];
  const listed = { name: folder.name, attributes, oldName: asked };
  session.untagged(`LIST ${formatList(listed, DELIMITER, session.isUtf8)}`);
}
