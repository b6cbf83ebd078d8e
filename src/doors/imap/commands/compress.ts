import { type TaggedResponse, bad, no, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';
import type { Named } from './entry.ts';

/** COMPRESS (RFC 4978, section 3). */
export async function compress(
  session: ImapSession,
  { mechanism }: Named<'COMPRESS'>,
): Promise<TaggedResponse> {
  if (mechanism !== 'DEFLATE') return bad(`Unsupported mechanism ${mechanism}`);
  const { connection } = session;
  if (connection.isCompressed) return no('COMPRESSIONACTIVE', 'DEFLATE is already active');
  session.afterResponse = async () => connection.compress();
  return ok('DEFLATE active');
}
