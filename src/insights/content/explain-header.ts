/** Explains header fields to readers who do not know the RFCs. */
import type { HeaderField } from '../../rfc/mime/index.ts';

export interface ExplainedField {
  name: string;
  value: string;
  /** The purpose of the field. Null for an unknown field. */
  meaning: string | null;
}

const MAX_FIELDS = 200;
const MAX_VALUE = 4_000;

/** The usual spelling of a field, and its purpose. */
const FIELDS: readonly (readonly [name: string, meaning: string])[] = [
  ['From', 'The author. DMARC checks that SPF or DKIM passes for this domain.'],
  ['Sender', 'The actual sender, if it is not the author.'],
  ['To', 'The recipients shown in the message. Delivery uses the envelope recipients.'],
  ['Cc', 'Recipients who get a copy for their information.'],
  ['Reply-To', 'The address for replies, instead of the author.'],
  ['Subject', 'The subject. Characters beyond ASCII are encoded (RFC 2047); they are decoded here.'],
  ['Date', 'When the email was accepted. It is the same at each attempt.'],
  ['Message-ID', 'Unique ID of the message, derived from the email ID. The same in every copy and attempt.'],
  ['In-Reply-To', 'The message that this one replies to: mail apps show both in one thread.'],
  ['References', 'The messages before this one in its thread.'],
  ['MIME-Version', 'The message has parts, or characters beyond ASCII (RFC 2045).'],
  ['Content-Type', 'The type of the body. multipart/alternative: the same content as text and as HTML.'],
  ['Content-Transfer-Encoding', 'How the body is encoded in ASCII.'],
  [
    'DKIM-Signature',
    'Signed by the domain in d=. Covers the headers listed in h= and the body. The public key is in DNS under the selector in s=.',
  ],
  ['List-Unsubscribe', 'The address that the unsubscribe button of a mail app uses.'],
  [
    'List-Unsubscribe-Post',
    'The recipient can unsubscribe with one click, without opening a page (RFC 8058). Gmail and Yahoo require it in bulk mail.',
  ],
  ['List-Id', 'The mailing list that the email belongs to.'],
  ['Precedence', 'An old mark of bulk mail. Some servers send no automatic replies to it.'],
  ['Auto-Submitted', 'A program wrote the email: other programs should not reply automatically (RFC 3834).'],
  ['X-Auto-Response-Suppress', 'Asks Exchange and Outlook not to reply automatically.'],
  ['Feedback-ID', 'How Gmail groups complaints in its Postmaster Tools.'],
  ['X-Entity-Ref-ID', 'Keeps Gmail from grouping messages with the same subject into one thread.'],
  ['Importance', 'The importance set by the sender. Most mail apps show a mark.'],
  ['X-Priority', 'The importance set by the sender, from 1 (highest) to 5.'],
  ['X-Mailer', 'The program that wrote the email.'],
  [
    'X-Posthorn-Return',
    'Identifies the email in complaints that contain only the headers. It is signed, and reveals nothing to others.',
  ],
];

const BY_NAME = new Map(FIELDS.map(([name, meaning]) => [name.toLowerCase(), { name, meaning }]));

/** Explains the first 200 fields, in order. @param fields with decoded values */
export function explainHeader(fields: readonly HeaderField[]): ExplainedField[] {
  return fields.slice(0, MAX_FIELDS).map((field) => {
    const known = BY_NAME.get(field.name);
    return {
      name: known?.name ?? usualCase(field.name),
      value: field.value.slice(0, MAX_VALUE),
      meaning: known?.meaning ?? (field.name.startsWith('x-') ? 'A custom field of the sender.' : null),
    };
  });
}

function usualCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
