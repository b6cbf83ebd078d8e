/** The commands of every state (RFC 9051, section 6.1). */
import { VERSION } from '../../../model/version.ts';
import { capabilities } from '../capabilities.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

export async function capability(session: ImapSession): Promise<TaggedResponse> {
  session.untagged(`CAPABILITY ${capabilities(session)}`);
  return ok('Capabilities told');
}

/** What happened in the selected folder is told before the answer. */
export async function noop(): Promise<TaggedResponse> {
  return ok('Nothing done');
}

export async function logout(session: ImapSession): Promise<TaggedResponse> {
  session.untagged('BYE Goodbye');
  session.isLeaving = true;
  return ok('Logged out');
}

/** RFC 2971. What the client says of itself is not kept, and the version of the server is nobody's before a sign-in. */
export async function id(session: ImapSession): Promise<TaggedResponse> {
  session.untagged(`ID ("name" "Posthorn"${session.mailbox === null ? '' : ` "version" "${VERSION}"`})`);
  return ok('Told');
}

/** RFC 3501, section 6.4.1: all that was answered is durable already. */
export async function check(): Promise<TaggedResponse> {
  return ok('Checked');
}
