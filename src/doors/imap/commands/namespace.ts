import { SHARED } from '../accounts.ts';
import { DELIMITER } from '../mailbox-list.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';

/** NAMESPACE (RFC 9051, section 6.3.10): the personal namespace, and that of shared mailboxes. */
export async function namespace(session: SignedInSession): Promise<TaggedResponse> {
  session.untagged(`NAMESPACE (("" "${DELIMITER}")) NIL (("${SHARED}" "${DELIMITER}"))`);
  return ok('Namespace completed');
}
