import { type Answer, bad, no, ok } from '../responses.ts';
import type { Session } from '../session.ts';
import type { Named } from './entry.ts';

/** RFC 4978, section 3. */
export async function compress(session: Session, { mechanism }: Named<'COMPRESS'>): Promise<Answer> {
  if (mechanism !== 'DEFLATE') return bad(`There is no mechanism ${mechanism}`);
  const { connection } = session;
  if (connection.isCompressed) return no('COMPRESSIONACTIVE', 'DEFLATE is active already');
  session.afterAnswer = async () => connection.compress();
  return ok('Compressed from now on');
}
