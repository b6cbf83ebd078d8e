/** Writes fields that list mailboxes: From, To, Cc, Reply-To (RFC 5322, section 3.6). */
import { formatMailbox, formatPhrase, type MailboxAddress } from '../address/index.ts';
import { FieldWriter } from './field-writer.ts';

/** The maximum length of a name in ASCII. A longer name is written as encoded words, which can be folded. */
const MAX_PLAIN_NAME = 60;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Writes a header field, folded between mailboxes if possible. Empty if there are no mailboxes. */
export function addressField(name: string, mailboxes: readonly MailboxAddress[]): string {
  if (mailboxes.length === 0) return '';
  const writer = new FieldWriter(name);
  const last = mailboxes.length - 1;
  mailboxes.forEach((mailbox, at) => addMailbox(writer, mailbox, at === last ? '' : ','));
  return writer.finish();
}

function addMailbox(writer: FieldWriter, mailbox: MailboxAddress, comma: string): void {
  const { displayName, address } = mailbox;
  if (displayName === null || isPlain(displayName)) {
    const whole = formatMailbox(mailbox) + comma;
    if (displayName === null || whole.length <= MAX_WHOLE) return writer.add(whole);
    writer.add(formatPhrase(displayName));
  } else {
    writer.addEncoded(displayName);
  }
  writer.add(`<${address}>${comma}`);
}

/** A mailbox of at most this length is never folded. */
const MAX_WHOLE = 75;

/** Whether a name can be written unencoded. Mail clients would decode a name with `=?` as an encoded word, and show another name. */
function isPlain(name: string): boolean {
  return name.length <= MAX_PLAIN_NAME && PRINTABLE_ASCII.test(name) && !name.includes('=?');
}
