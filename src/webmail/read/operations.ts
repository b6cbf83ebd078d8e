/** Operations on messages and their senders. `run.ts` implements them. */
import {
  MailHtmlQuery,
  MailInlineQuery,
  MailMessage,
  MailRemoteQuery,
  MailUnsubscribed,
  MailWaiting,
  TrustSender,
  TrustedSenderList,
} from '../../contract/mail/messages.ts';
import { declare } from '../../contract/operation.ts';

const MESSAGE = { name: 'message', prefix: 'msg' } as const;

export const MAIL_READING_OPERATIONS = {
  getMailMessage: declare({
    summary: 'A message with what it says as text, its attachments, and what is to be known of it',
    success: { status: 200, description: 'The message.', body: MailMessage },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}', resource: MESSAGE },
    },
  }),
  getWaitingRecipients: declare({
    summary: 'Whether a message that the owner has sent waits for its kind of provider',
    success: { status: 200, description: 'What waits.', body: MailWaiting },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/waiting', resource: MESSAGE },
    },
  }),
  unsubscribeFromSender: declare({
    summary: 'Get no more mail of the kind of this message',
    description:
      'Where unsubscribe of the message is one-click (RFC 8058): this service asks the sender, and says nothing of the reader.',
    success: { status: 200, description: 'What came of it.', body: MailUnsubscribed },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/messages/{id}/unsubscribe', resource: MESSAGE },
    },
  }),
  listTrustedSenders: declare({
    summary: 'Senders whose images of elsewhere are always shown',
    success: { status: 200, description: 'The senders.', body: TrustedSenderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/trusted-senders' },
    },
  }),
  trustMailSender: declare({
    summary: 'Always show images of elsewhere in messages of a sender, or no longer',
    description: 'It counts where it is proved that a message is from them.',
    body: TrustSender,
    success: { status: 204, description: 'It holds.' },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/trusted-senders' },
    },
  }),
  getMailMessageHtml: declare({
    summary: 'The HTML of a message, for a frame',
    description:
      'A document with a policy of its own: nothing in it runs, and it asks for nothing but images through this service. 404 where has_html is false; while the service is too busy, a document that says so.',
    query: MailHtmlQuery,
    success: { status: 200, description: 'The document.', media: 'text/html' },
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/html', resource: MESSAGE } },
  }),
  printMailMessage: declare({
    summary: 'A message with its header, as a page to print',
    query: MailHtmlQuery,
    success: { status: 200, description: 'The page.', media: 'text/html' },
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/print', resource: MESSAGE } },
  }),
  getMailMessageSource: declare({
    summary: 'The source of a message as a page of text',
    description: 'The first MB; GET raw has all of it.',
    success: { status: 200, description: 'The source.', media: 'text/plain' },
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/source', resource: MESSAGE } },
  }),
  getRawMailMessage: declare({
    summary: 'A message as it was received, as a file',
    success: { status: 200, description: 'The message.', media: 'message/rfc822' },
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/raw', resource: MESSAGE } },
  }),
  getMailPart: declare({
    summary: 'Save an attachment',
    description: 'Its bytes, as a file of no type: no browser opens it by itself.',
    success: { status: 200, description: 'The bytes.', media: 'application/octet-stream' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}', resource: MESSAGE, part: 'part' },
    },
  }),
  previewMailPart: declare({
    summary: 'Look at an attachment',
    description:
      'An image of pixels, by what its bytes are, or the begin of a text. 404 for everything else: SVG and HTML are documents, and a PDF can run scripts and ask for pages.',
    success: { status: 200, description: 'The image, or the text.', media: '*/*' },
    raw: true,
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}/preview',
        resource: MESSAGE,
        part: 'part',
      },
    },
  }),
  getInlineMailPart: declare({
    summary: 'An image of a message within its frame',
    query: MailInlineQuery,
    success: { status: 200, description: 'The image.', media: 'image/*' },
    raw: true,
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}/inline',
        resource: MESSAGE,
        part: 'part',
        signed: true,
      },
    },
  }),
  getRemoteImage: declare({
    summary: 'An image of elsewhere within the frame of a message',
    description:
      'Fetched by this service, which says nothing of the reader. Only addresses that GET html has written.',
    query: MailRemoteQuery,
    success: { status: 200, description: 'The image.', media: 'image/*' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/remote', resource: MESSAGE, signed: true },
    },
  }),
};
