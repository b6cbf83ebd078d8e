import { type Answer, bad, ok } from '../responses.ts';
import type { Session } from '../session.ts';

/** RFC 9051, section 6.2.1. What was said in the clear before is dropped with the connection's input. */
export async function startTls(session: Session): Promise<Answer> {
  const { connection, secureContext } = session;
  if (connection.tls !== null) return bad('TLS is on already');
  if (secureContext() === null) return bad('TLS is not offered');
  session.afterAnswer = () => connection.startTls(secureContext);
  return ok('Begin TLS now');
}
