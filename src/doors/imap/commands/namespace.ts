import { DELIMITER } from '../mailbox-list.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';

/** NAMESPACE (RFC 9051, section 6.3.10). There is only the personal namespace. */
export async function namespace(session: SignedInSession): Promise<TaggedResponse> {
  session.untagged(`NAMESPACE (("" "${DELIMITER}")) NIL NIL`);
  return ok('Namespace completed');
}
