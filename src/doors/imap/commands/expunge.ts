import { type TaggedResponse, RESPONSES, ok } from '../responses.ts';
import type { FolderSession, ImapSession } from '../session.ts';
import type { Named } from './entry.ts';

/** EXPUNGE and UID EXPUNGE (RFC 9051, sections 6.4.3 and 6.4.9). Deletes only messages in the client's list. */
export async function expunge(session: FolderSession, { uids }: Named<'EXPUNGE'>): Promise<TaggedResponse> {
  const { selected } = session;
  const ranges = selected.resolve(uids ?? [[1, '*']], true) ?? [];
  if (ranges.length === 0) return ok('No such messages');
  const expunged = await session.services.store.expunge(selected.key, { ranges, isDeletedOnly: true });
  if (expunged === null) return RESPONSES.noMailbox;
  selected.noteChange();
  return sendExpunged(session, 'Expunged');
}

/**
 * Ends a command that expunged messages. With CONDSTORE, first reports the expunged messages, then HIGHESTMODSEQ (RFC 7162, sections 3.2.7
 * and 3.2.8).
 */
export async function sendExpunged(session: ImapSession, text: string): Promise<TaggedResponse> {
  if (!session.hasCondstore) return ok(text);
  await session.sendUpdates('everything', true);
  return ok(text, session.selected === null ? null : `HIGHESTMODSEQ ${session.selected.modseq}`);
}
