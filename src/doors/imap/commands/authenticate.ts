import { decodeBase64, type SaslStep, startExchange } from '../../../rfc/sasl/mechanisms.ts';
import { type TaggedResponse, bad, no } from '../responses.ts';
import type { ImapSession } from '../session.ts';
import type { Named } from './entry.ts';
import { refuseInClear, signIn } from './login.ts';

/** Maximum length of a base64 response, enough for the longest address and password. */
const MAX_RESPONSE = 8_192;

/** AUTHENTICATE (RFC 9051, section 6.2.2), with the initial response of RFC 4959. */
export async function authenticate(
  session: ImapSession,
  { mechanism, initialResponse }: Named<'AUTHENTICATE'>,
): Promise<TaggedResponse> {
  const refusal = refuseInClear(session);
  if (refusal !== null) return refusal;
  const exchange = startExchange(mechanism);
  if (exchange === null) return no('CANNOT', `Unsupported mechanism ${mechanism}`);
  let response = initialResponse === '=' ? '' : initialResponse;
  for (;;) {
    const octets = response === null ? null : decodeBase64(response);
    if (octets === null && response !== null) return bad('The response is not base64');
    const step: SaslStep = exchange.next(octets);
    if ('fault' in step) return bad(step.fault);
    if ('user' in step) return signIn(session, step.user, step.password);
    const line = await session.ask(step.challenge.toString('base64'));
    if (line === null) return bad('The connection is closed');
    if (line.length > MAX_RESPONSE) return bad('The response is too long');
    response = line.toString('latin1');
    if (response === '*') return bad('Authentication cancelled');
  }
}
