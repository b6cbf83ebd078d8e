/** CLOSE and UNSELECT. */
import { type TaggedResponse, ok } from '../responses.ts';
import type { FolderSession } from '../session.ts';

/** CLOSE (RFC 9051, section 6.4.1). Expunges without EXPUNGE responses and without HIGHESTMODSEQ (RFC 7162, section 3.2.8). */
export async function close(session: FolderSession): Promise<TaggedResponse> {
  const { key, isReadOnly } = session.selected;
  session.select(null);
  if (!isReadOnly) await session.services.store.expunge(key, { ranges: null, isDeletedOnly: true });
  return ok('Closed');
}

/** UNSELECT (RFC 9051, section 6.4.2). */
export async function unselect(session: FolderSession): Promise<TaggedResponse> {
  session.select(null);
  return ok('Closed; nothing was deleted');
}
