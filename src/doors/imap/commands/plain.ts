/** Commands that are allowed in every state (RFC 9051, section 6.1), and CHECK. */
import { VERSION } from '../../../model/version.ts';
import { capabilities } from '../capabilities.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

export async function capability(session: ImapSession): Promise<TaggedResponse> {
  session.untagged(`CAPABILITY ${capabilities(session)}`);
  return ok('Capability completed');
}

/** NOOP. The command loop reports the changes in the selected folder. */
export async function noop(): Promise<TaggedResponse> {
  return ok('NOOP completed');
}

export async function logout(session: ImapSession): Promise<TaggedResponse> {
  session.untagged('BYE Goodbye');
  session.isLeaving = true;
  return ok('Logged out');
}

/** ID (RFC 2971). Ignores the client's fields, and reveals the server's version only after sign-in. */
export async function id(session: ImapSession): Promise<TaggedResponse> {
  session.untagged(`ID ("name" "Posthorn"${session.mailbox === null ? '' : ` "version" "${VERSION}"`})`);
  return ok('ID completed');
}

/** CHECK (RFC 3501, section 6.4.1). Does nothing, because confirmed changes are already durable. */
export async function check(): Promise<TaggedResponse> {
  return ok('Checked');
}
