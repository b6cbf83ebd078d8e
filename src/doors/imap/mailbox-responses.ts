/** Responses to commands that create or change mailboxes, or whose target mailbox does not exist (codes from RFC 5530, section 3). */
import { formatList } from '../../rfc/imap/format-list.ts';
import { formatSet } from '../../rfc/imap/format-numbers.ts';
import type { FileResult } from '../../store/file-messages.ts';
import { checkFolderName } from '../../store/folder-name.ts';
import { type FolderResult, MAX_FOLDERS } from '../../store/folders.ts';
import type { Account } from './accounts.ts';
import { DELIMITER } from './mailbox-list.ts';
import { type TaggedResponse, RESPONSES, no } from './responses.ts';
import type { SignedInSession } from './session.ts';

type Failure = Exclude<FolderResult, { outcome: 'done' }>;

const FAILURES = {
  'no-mailbox': RESPONSES.tryAgain,
  'no-folder': RESPONSES.noMailbox,
  taken: no('ALREADYEXISTS', 'A mailbox with this name already exists'),
  'too-many': no('LIMIT', `An account can have at most ${MAX_FOLDERS} mailboxes`),
  'has-role': no('CANNOT', 'This mailbox cannot be deleted: every account has it'),
} as const satisfies Record<Exclude<Failure['outcome'], 'bad-name'>, TaggedResponse>;

/** The response to a command that could not create or change a mailbox. */
export function folderFailure(failure: Failure): TaggedResponse {
  return failure.outcome === 'bad-name' ? badName(failure.fault) : FAILURES[failure.outcome];
}

function badName(fault: string): TaggedResponse {
  return no('CANNOT', `The mailbox name ${fault}`);
}

/** The response if the target mailbox for messages does not exist but could be created (RFC 9051, section 6.4.7). */
export const TRY_CREATE = no('TRYCREATE', 'The mailbox does not exist; create it first');

/** The response if the target mailbox does not exist: `TRY_CREATE`, or a rejection of an invalid name. */
export function noTarget(name: string): TaggedResponse {
  const checked = checkFolderName(name);
  return 'fault' in checked ? badName(checked.fault) : TRY_CREATE;
}

/**
 * Removes the delimiter at the end of a name, by which clients announce child mailboxes (RFC 9051, section 6.3.4). The announcement is not
 * needed, because every mailbox can have children.
 */
export function withoutDelimiter(name: string): string {
  return name.endsWith(DELIMITER) ? name.slice(0, -1) : name;
}

/** Sends the normalized name of a mailbox to a client that used another form (RFC 9051, section 6.3.9.7). */
export async function sendNormalizedName(
  session: SignedInSession,
  { key, prefix }: Account,
  oldName: string,
  folderId: string,
): Promise<void> {
  if (!session.isRev2 || oldName.normalize('NFC') === oldName) return;
  const folders = await session.services.store.folders(key);
  const folder = folders.find(({ id }) => id === folderId);
  if (folder === undefined) return;
  const attributes = folder.subscribed ? ['\\Subscribed'] : [];
  const listed = { name: prefix + folder.name, attributes, oldName };
  session.untagged(`LIST ${formatList(listed, DELIMITER, session.isUtf8)}`);
}

/** The COPYUID response code (RFC 9051, section 7.1); null if nothing was copied. */
export function copyUid({
  uidValidity,
  uids,
}: Pick<Extract<FileResult, { outcome: 'filed' }>, 'uidValidity' | 'uids'>): string | null {
  if (uids.length === 0) return null;
  const [from, to] = [uids.map((each) => each.from), uids.map((each) => each.to)];
  return `COPYUID ${uidValidity} ${formatSet(from)} ${formatSet(to)}`;
}
