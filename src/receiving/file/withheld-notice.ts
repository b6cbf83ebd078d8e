/** Composes the notice that a mailbox gets instead of service mail, because several people can open the mailbox. */
import { prepareInRow } from '../../blobs/blobs.ts';
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import type { NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { RoutedRecipient } from '../route/router.ts';

/**
 * @param withheld the service mail, as it would have been stored in the mailbox
 * @returns the notice. It has the object id of the service mail, so that another attempt stores no second notice
 */
export async function withheldNotice(
  { address, mailbox }: RoutedRecipient,
  withheld: NewMessage,
  { hostname, facts }: { hostname: string; facts: Pick<FactsReader, 'read'> },
): Promise<NewMessage> {
  const to = parseMailbox(mailbox.address);
  const { header, body } = compose({
    from: namedMailbox('MAILER-DAEMON', hostname, 'Mail delivery'),
    to: 'error' in to ? [] : [to],
    cc: [],
    replyTo: [],
    subject: 'A message of the mail service was withheld',
    html: null,
    text: `The mail service sent a message to ${address}. The message is not shown here, because several people can open this mailbox,
and such messages can open an account.

Other mailboxes that receive mail for ${address} got the message.
`,
    // RFC 3834, section 5: prevents vacation replies to this notice.
    headers: [['Auto-Submitted', 'auto-generated']],
    messageId: `<${newUuid()}@${hostname}>`,
    date: clock.now(),
  });
  const bytes = Buffer.concat([Buffer.from(`Return-Path: <>\r\n${header}\r\n`), body]);
  return {
    ...withheld,
    folder: { role: 'inbox' },
    blob: prepareInRow(withheld.projectId, bytes),
    facts: await facts.read(bytes),
    flags: 0,
    keywords: [],
    authentication: null,
    spam: null,
  };
}
