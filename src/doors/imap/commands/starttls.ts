import { type TaggedResponse, bad, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

/**
 * STARTTLS (RFC 9051, section 6.2.1). Plaintext that was sent ahead is dropped. Attack: a man in the middle may have injected the
 * plaintext.
 */
export async function startTls(session: ImapSession): Promise<TaggedResponse> {
  const { connection } = session;
  const { secureContext } = session.options;
  if (connection.tls !== null) return bad('TLS is already active');
  if (secureContext() === null) return bad('TLS is not available');
  session.afterResponse = () => connection.startTls(secureContext);
  return ok('Begin TLS negotiation now');
}
