/** Composes a message with a text, an HTML part or both (RFC 5322, RFC 2045 to 2047, RFC 6532). */
import type { MailboxAddress } from '../address/index.ts';
import { addressField } from './address-field.ts';
import { formatDate } from './format-date.ts';
import { htmlToText } from './html-to-text.ts';
import { otherField, unstructuredField } from './text-field.ts';
import { encodeText } from './transfer-encoding.ts';

/** The content of a message. Has no Bcc recipients, because only the envelope names these recipients. */
export interface MessageContent {
  from: MailboxAddress;
  to: readonly MailboxAddress[];
  cc: readonly MailboxAddress[];
  replyTo: readonly MailboxAddress[];
  subject: string;
  /** If null or empty, the message has no HTML part. */
  html: string | null;
  /** If null or empty, the text is generated from `html`. */
  text: string | null;
  /** Additional fields from the caller. `compose` writes all other fields. */
  headers: Iterable<readonly [name: string, value: string]>;
  /** The Message-ID, with angle brackets. */
  messageId: string;
  /** The date is written with a precision of one second. */
  date: Date;
}

export interface ComposedMessage {
  /**
   * The header fields, each ending with CRLF, without the empty line after the header. The caller must encode this string as UTF-8. It is
   * ASCII unless `smtputf8` is true. It is no `Buffer`, because signing requires characters and the caller adds trace fields before it.
   */
  header: string;
  /** The body after the empty line, in ASCII. Every line ends with CRLF, including the last. */
  body: Buffer;
  /** Whether an address in the header has a non-ASCII local part (RFC 6531). The envelope may have other non-ASCII addresses. */
  smtputf8: boolean;
}

/**
 * The start of every boundary. A delimiter line thus begins with `--=_`, as no line of an encoded part (RFC 2045, section 6.7, note 5) and
 * no line from `encodeText` does.
 */
const BOUNDARY_START = '=_';
const NOT_BOUNDARY_TEXT = /[^A-Za-z0-9]/g;

/**
 * Composes a message, in which no line is longer than 998 octets. A pure function: the same content gives the same bytes, so that every
 * delivery attempt sends the same message.
 *
 * @throws TypeError if a name in `headers` is not a valid field name
 */
export function compose(content: MessageContent): ComposedMessage {
  // An empty part is omitted, because a client that prefers this part would show nothing.
  const html = content.html || null;
  const text = content.text || null;
  const { fields, smtputf8 } = addressFields(content);
  let header =
    fields +
    unstructuredField('Subject', content.subject) +
    `Date: ${formatDate(content.date)}\r\n` +
    otherField('Message-ID', content.messageId);
  for (const [name, value] of content.headers) header += otherField(name, value);
  header += 'MIME-Version: 1.0\r\n';

  const plain = part('plain', text ?? (html === null ? '' : htmlToText(html)));
  if (html === null) {
    const body = plain.content.at(-1) === LF ? plain.content : Buffer.concat([plain.content, CRLF]);
    return { header: header + plain.header, body, smtputf8 };
  }
  const rich = part('html', html);
  const boundary = BOUNDARY_START + content.messageId.replace(NOT_BOUNDARY_TEXT, '').slice(0, 48);
  header += `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`;
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\n${plain.header}\r\n`, 'latin1'),
    plain.content,
    Buffer.from(`\r\n--${boundary}\r\n${rich.header}\r\n`, 'latin1'),
    rich.content,
    Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1'),
  ]);
  return { header, body, smtputf8 };
}

/** The fields with addresses, and whether an address has a non-ASCII local part. */
export function addressFields({
  from,
  to,
  cc,
  replyTo,
}: Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo'>): { fields: string; smtputf8: boolean } {
  return {
    fields:
      addressField('From', [from]) +
      addressField('To', to) +
      addressField('Cc', cc) +
      addressField('Reply-To', replyTo),
    smtputf8: from.unicode || [to, cc, replyTo].some((list) => list.some((mailbox) => mailbox.unicode)),
  };
}

const CRLF = Buffer.from('\r\n');
const LF = 0x0a;

function part(subtype: 'plain' | 'html', text: string): { header: string; content: Buffer } {
  const { encoding, content } = encodeText(text);
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { header, content };
}
