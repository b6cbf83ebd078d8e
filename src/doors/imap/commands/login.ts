import { capabilities } from '../capabilities.ts';
import { type TaggedResponse, FAREWELLS, no, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';
import type { Named } from './entry.ts';

/**
 * How many failed attempts end the connection. Attack: guessing passwords. With this limit, an attacker needs a new connection for every
 * three guesses.
 */
const MAX_FAILURES = 3;

export async function login(
  session: ImapSession,
  { user, password }: Named<'LOGIN'>,
): Promise<TaggedResponse> {
  return refuseInClear(session) ?? signIn(session, user, password);
}

/** Rejects passwords on connections without TLS (RFC 5530, section 3). @returns null if passwords are accepted */
export function refuseInClear({ acceptsPasswords }: ImapSession): TaggedResponse | null {
  return acceptsPasswords
    ? null
    : no('PRIVACYREQUIRED', 'Passwords are accepted only over TLS; use STARTTLS or the TLS port');
}

/** Signs in with the password of LOGIN or AUTHENTICATE. */
export async function signIn(session: ImapSession, user: string, password: string): Promise<TaggedResponse> {
  const { address } = session.connection;
  const result = await session.services.signIn.signIn({
    user,
    password,
    address,
    door: 'imap',
    access: 'read',
  });
  switch (result.outcome) {
    case 'signed-in':
      session.signedIn(result.mailbox);
      return ok(`Signed in as ${result.mailbox.address}`, `CAPABILITY ${capabilities(session)}`);
    case 'try-later':
      countFailure(session);
      if (result.reason === 'connections') return no('LIMIT', 'The mailbox has too many connections');
      return no('UNAVAILABLE', `Too many attempts; try again in ${result.afterSeconds} seconds`);
    case 'refused':
      countFailure(session);
      return no('AUTHENTICATIONFAILED', 'The user name or the password is wrong');
  }
}

function countFailure(session: ImapSession): void {
  session.failures += 1;
  if (session.failures === MAX_FAILURES) session.farewell = FAREWELLS.tooManyFailures;
}
