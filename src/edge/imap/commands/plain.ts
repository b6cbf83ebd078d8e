/** The commands of every state (RFC 9051, section 6.1). */
import { capabilities } from '../capabilities.ts';
import { type Answer, ok } from '../responses.ts';
import type { Session } from '../session.ts';

export async function capability(session: Session): Promise<Answer> {
  session.untagged(`CAPABILITY ${capabilities(session)}`);
  return ok('Capabilities told');
}

/** What happened in the selected folder is told before the answer. */
export async function noop(): Promise<Answer> {
  return ok('Nothing done');
}

export async function logout(session: Session): Promise<Answer> {
  session.untagged('BYE Goodbye');
  session.isLeaving = true;
  return ok('Logged out');
}
