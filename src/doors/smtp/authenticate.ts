import { decodeBase64 } from '../../rfc/sasl/mechanisms.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { PolicyReply, SmtpPolicy } from './policy.ts';
import { REPLIES } from './replies.ts';
import type { AuthStep } from './session.ts';

const CANCEL = '*';
/** Stands for an empty initial response. */
const NOTHING = '=';

/** The exchange of AUTH (RFC 4954, section 4). @returns the reply to its end; null: the connection is over */
export async function authenticate<Addressee>(
  connection: ClientConnection,
  { exchange, initialResponse }: AuthStep,
  policy: SmtpPolicy<Addressee>,
): Promise<PolicyReply | null> {
  for (let response = initialResponse === NOTHING ? '' : initialResponse; ; ) {
    const octets = response === null ? null : decodeBase64(response);
    if (octets === null && response !== null) return REPLIES.notBase64;
    const step = exchange.next(octets);
    if ('fault' in step) return `501 5.5.2 ${step.fault}`;
    if ('user' in step) return policy.signIn(step);
    connection.write(`334 ${step.challenge.toString('base64')}`);
    const read = await connection.line();
    if (read === null) return null;
    if ('fault' in read) {
      connection.end(read.fault === 'too-long' ? REPLIES.responseTooLong : REPLIES.bareLineEnd);
      return null;
    }
    if (read.line === CANCEL) return REPLIES.authCancelled;
    response = read.line;
  }
}
