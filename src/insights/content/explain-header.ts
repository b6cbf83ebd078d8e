/** Explains header fields to readers who do not know the RFCs. */
import type { HeaderField } from '../../rfc/mime/index.ts';

export interface ExplainedField {
  name: string;
  value: string;
  /** null: the field is not known. */
  meaning: string | null;
}

const MAX_FIELDS = 200;
const MAX_VALUE = 4_000;

/** The usual spelling of a field, and its purpose. */
const FIELDS: readonly (readonly [name: string, meaning: string])[] = [
  ['From', 'Who wrote it. DMARC checks that SPF or DKIM speaks for this domain.'],
  ['Sender', 'Who handed it in, where that is not the author.'],
  ['To', 'Whom it is addressed to. Who gets it stands in the envelope.'],
  ['Cc', 'Whom it is addressed to for their information.'],
  ['Reply-To', 'Where answers go, in place of the author.'],
  ['Subject', 'The subject. What is not ASCII is encoded (RFC 2047) and decoded here.'],
  ['Date', 'When the email was accepted. It is the same at each attempt.'],
  [
    'Message-ID',
    'The name of the message, from the id of the email: the same in every copy and every attempt.',
  ],
  ['In-Reply-To', 'The message that this one answers: mail apps show both in one thread.'],
  ['References', 'The messages before this one in its thread.'],
  ['MIME-Version', 'The message has parts, or characters beyond ASCII (RFC 2045).'],
  ['Content-Type', 'What the body is: with multipart/alternative, the same as text and as HTML.'],
  ['Content-Transfer-Encoding', 'How the body is written in ASCII.'],
  [
    'DKIM-Signature',
    'A signature of the domain d= over the header fields h= and the body. Its public key is in DNS at the selector s=.',
  ],
  ['List-Unsubscribe', 'Where mail apps unsubscribe the recipient with their own button.'],
  [
    'List-Unsubscribe-Post',
    'The recipient is unsubscribed with one click, without opening a page (RFC 8058). Gmail and Yahoo ask for it in bulk mail.',
  ],
  ['List-Id', 'The list that it belongs to.'],
  ['Precedence', 'An old word for bulk mail. Some servers do not answer such mail automatically.'],
  ['Auto-Submitted', 'A program wrote it: no other program should answer (RFC 3834).'],
  ['X-Auto-Response-Suppress', 'Exchange and Outlook are asked not to answer by themselves.'],
  ['Feedback-ID', 'How Gmail groups complaints in its Postmaster Tools.'],
  ['X-Entity-Ref-ID', 'Keeps Gmail from showing messages of the same subject as one thread.'],
  ['Importance', 'How important the sender finds it. Most mail apps show a mark.'],
  ['X-Priority', 'How important the sender finds it, from 1 to 5.'],
  ['X-Mailer', 'The program that wrote it.'],
  [
    'X-Posthorn-Return',
    'Names the email for complaints that come back with the header alone. It is signed, and tells nobody else anything.',
  ],
];

const BY_NAME = new Map(FIELDS.map(([name, meaning]) => [name.toLowerCase(), { name, meaning }]));

/** The first 200 fields, in order. @param fields with decoded values */
export function explainHeader(fields: readonly HeaderField[]): ExplainedField[] {
  return fields.slice(0, MAX_FIELDS).map((field) => {
    const known = BY_NAME.get(field.name);
    return {
      name: known?.name ?? usualCase(field.name),
      value: field.value.slice(0, MAX_VALUE),
      meaning: known?.meaning ?? (field.name.startsWith('x-') ? 'A field of the sender’s own.' : null),
    };
  });
}

function usualCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
