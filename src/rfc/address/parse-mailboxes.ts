import { type MailboxAddress, parseMailbox } from './parse-mailbox.ts';
import { formatMailbox } from './quoting.ts';
import { readAddressList } from './read-address-list.ts';

/** The mailboxes in a list of addresses that were checked before. Skips everything else. */
export function parseMailboxes(text: string): MailboxAddress[] {
  return readAddressList(text, Number.POSITIVE_INFINITY).flatMap(({ name, localPart, domain }) => {
    if (domain === null) return [];
    const mailbox = parseMailbox(
      formatMailbox({ displayName: name, address: `${localPart ?? ''}@${domain}` }),
    );
    return 'error' in mailbox ? [] : [mailbox];
  });
}
