import { OTHER_ACCOUNT } from '../accounts.ts';
import { noTarget } from '../mailbox-responses.ts';
import { type TaggedResponse, RESPONSES, no, ok } from '../responses.ts';
import type { FolderSession } from '../session.ts';
import { appendUid, newMessage, noteTarget, appendRefusal, withoutKeywords } from './append.ts';
import type { Named } from './entry.ts';

const EXPUNGED = no('EXPUNGEISSUED', 'The message was expunged');

/** REPLACE and UID REPLACE (RFC 8508). Replaces the message atomically. Only the new message counts towards the quota. */
export async function replace(session: FolderSession, command: Named<'REPLACE'>): Promise<TaggedResponse> {
  const { selected, services } = session;
  const ranges = selected.resolve([[command.number, command.number]], command.uid);
  if (ranges === null) return RESPONSES.badSet;
  const [uid] = selected.uidsIn(ranges);
  if (uid === undefined) return EXPUNGED;
  const folder = await session.findFolder(command.mailbox);
  if (folder === null) return noTarget(command.mailbox);
  if (folder.key.mailboxId !== selected.key.mailboxId) return OTHER_ACCOUNT;
  const message = await newMessage(
    session,
    { ...folder.account.key, folder: { id: folder.id } },
    command.message,
  );
  if ('status' in message) return message;
  const result = await services.store.replace(selected.key, uid, message);
  if (result.outcome !== 'stored') {
    // Attack: see `append`.
    await services.blobs.discard(message.blob).catch(() => {});
    return result.outcome === 'no-message' ? EXPUNGED : appendRefusal(result.outcome);
  }
  session.untagged(`OK [${appendUid([result])}] Replacement stored${withoutKeywords([result])}`);
  noteTarget(session, folder.id);
  selected.noteChange();
  return ok('Replaced');
}
