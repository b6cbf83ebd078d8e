/** Back to the state in which no folder is selected. */
import { type TaggedResponse, ok } from '../responses.ts';
import type { FolderSession } from '../session.ts';

/** RFC 9051, section 6.4.1: what has \Deleted goes, and nobody here is told (RFC 7162, section 3.2.8: not even its MODSEQ). */
export async function close(session: FolderSession): Promise<TaggedResponse> {
  const { key, isReadOnly } = session.selected;
  session.select(null);
  if (!isReadOnly) await session.services.store.expunge(key, { ranges: null, isDeletedOnly: true });
  return ok('Closed');
}

/** Section 6.4.2. */
export async function unselect(session: FolderSession): Promise<TaggedResponse> {
  session.select(null);
  return ok('Closed; nothing was deleted');
}
