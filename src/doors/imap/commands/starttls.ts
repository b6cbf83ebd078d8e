import { type TaggedResponse, bad, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

/** RFC 9051, section 6.2.1. What was said in the clear before is dropped with the connection's input. */
export async function startTls(session: ImapSession): Promise<TaggedResponse> {
  const { connection, secureContext } = session;
  if (connection.tls !== null) return bad('TLS is on already');
  if (secureContext() === null) return bad('TLS is not offered');
  session.afterAnswer = () => connection.startTls(secureContext);
  return ok('Begin TLS now');
}
