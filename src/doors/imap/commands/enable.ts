import { type TaggedResponse, bad, ok } from '../responses.ts';
import type { Enabled, ImapSession } from '../session.ts';
import type { Named } from './entry.ts';

/** ENABLE (RFC 5161, section 3.1). Ignores unknown extensions. QRESYNC implies CONDSTORE (RFC 7162, section 3.2.3). */
export async function enable(
  session: ImapSession,
  { capabilities }: Named<'ENABLE'>,
): Promise<TaggedResponse> {
  const requested = capabilities.filter(isKnown);
  // UTF8=ACCEPT and IMAP4rev2 change the format of names and flags, so no mailbox may be selected (RFC 6855, section 3).
  if (session.selected !== null && requested.some((each) => each === 'UTF8=ACCEPT' || each === 'IMAP4REV2'))
    return bad('Close the selected mailbox first');
  const added = requested.filter((each) => !session.enabled.has(each));
  if (added.some((each) => each === 'CONDSTORE' || each === 'QRESYNC')) session.enableCondstore();
  for (const each of added) session.enabled.add(each);
  session.untagged(['ENABLED', ...new Set(added)].join(' ').replace('IMAP4REV2', 'IMAP4rev2'));
  return ok('Enabled');
}

const KNOWN: readonly string[] = ['CONDSTORE', 'QRESYNC', 'UTF8=ACCEPT', 'IMAP4REV2'] satisfies Enabled[];

function isKnown(name: string): name is Enabled {
  return KNOWN.includes(name);
}
