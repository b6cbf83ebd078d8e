/** Composes a message with a text, an HTML part or both (RFC 5322, RFC 2045 to 2047, RFC 6532). */
import type { MailboxAddress } from '../address/index.ts';
import { addressField } from './address-field.ts';
import { formatDate } from './format-date.ts';
import { htmlToText } from './html-to-text.ts';
import { otherField, unstructuredField } from './text-field.ts';
import { encodeText } from './transfer-encoding.ts';

/** The content of a message. Recipients in Bcc are not part of it: only the envelope names them. */
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
  /** Further fields from the caller. `compose` writes all other fields itself. */
  headers: Iterable<readonly [name: string, value: string]>;
  /** The Message-ID, with angle brackets. */
  messageId: string;
  /** The date is written with a precision of one second. */
  date: Date;
}

export interface ComposedMessage {
  /**
   * The header fields, each ending with CRLF, without the empty line after the header. A string, because signing works on
   * characters and trace fields are prepended later. ASCII unless `smtputf8` is true; encode it as UTF-8.
   */
  header: string;
  /** The body after the empty line: ASCII, with CRLF line ends, also at the end. */
  body: Buffer;
  /** True if an address in the header has a non-ASCII local part (RFC 6531). The envelope may have further such addresses. */
  smtputf8: boolean;
}

/** No line of an encoded part begins with this: RFC 2045, section 6.7, note 5. For 7bit parts, `encodeText` ensures it. */
const BOUNDARY_START = '=_';
const NOT_BOUNDARY_TEXT = /[^A-Za-z0-9]/g;

/**
 * A pure function: the same content gives the same bytes, so every delivery attempt sends the same message.
 * No line is longer than 998 octets.
 *
 * @throws TypeError if a name in `headers` is not a valid field name
 */
export function compose(content: MessageContent): ComposedMessage {
  const { from, to, cc, replyTo } = content;
  // An empty part is omitted: a client that prefers it would show nothing.
  const html = content.html || null;
  const text = content.text || null;
  let header =
    addressField('From', [from]) +
    addressField('To', to) +
    addressField('Cc', cc) +
    addressField('Reply-To', replyTo) +
    unstructuredField('Subject', content.subject) +
    `Date: ${formatDate(content.date)}\r\n` +
    otherField('Message-ID', content.messageId);
  for (const [name, value] of content.headers) header += otherField(name, value);
  header += 'MIME-Version: 1.0\r\n';

  const smtputf8 = from.unicode || [to, cc, replyTo].some((list) => list.some((mailbox) => mailbox.unicode));

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

const CRLF = Buffer.from('\r\n');
const LF = 0x0a;

function part(subtype: 'plain' | 'html', text: string): { header: string; content: Buffer } {
  const { encoding, content } = encodeText(text);
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { header, content };
}
