import { formatList } from '../../../rfc/imap/format-list.ts';
import { parentsOf } from '../../../store/folder-name.ts';
import { namesMatching } from '../list-patterns.ts';
import { DELIMITER, specialUsesOf } from '../mailbox-list.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';
import { readTree } from './list.ts';

/** LSUB (RFC 3501, section 6.3.9). Returns subscribed names, even if the mailbox does not exist. */
export async function lsub(
  session: SignedInSession,
  { reference, pattern }: Named<'LSUB'>,
): Promise<TaggedResponse> {
  const { tree } = await readTree(session);
  const matches = namesMatching(pattern === null ? [] : [reference + pattern]);
  const subscribed = tree.filter((each) => each.isSubscribed);
  // If the pattern ends with `%`, an unsubscribed parent is listed on behalf of its subscribed children.
  const levels = new Set(
    pattern?.endsWith('%') === true
      ? subscribed.filter(({ name }) => !matches(name)).flatMap(({ name }) => parentsOf(name))
      : [],
  );
  for (const each of tree) {
    if (!matches(each.name) || !(each.isSubscribed || levels.has(each.name))) continue;
    const attributes = each.isSubscribed ? specialUsesOf(each) : ['\\Noselect'];
    session.untagged(`LSUB ${formatList({ name: each.name, attributes }, DELIMITER, session.isUtf8)}`);
    if (!(await session.output.drained())) break;
  }
  return ok('Listed');
}
