/** Operations on messages and their senders. `run.ts` implements them. */
import {
  MailHtmlQuery,
  MailInlineQuery,
  MailMessage,
  MailPrintQuery,
  MailMessageQuery,
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
    summary: 'Get a message with its text, attachments and warnings',
    query: MailMessageQuery,
    success: { status: 200, description: 'The message.', body: MailMessage },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}', member: 'read', resource: MESSAGE },
    },
  }),
  getWaitingRecipients: declare({
    summary: 'Get whether a sent message is waiting because the kind of provider was changed',
    success: { status: 200, description: 'The waiting recipients.', body: MailWaiting },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/waiting', member: 'read', resource: MESSAGE },
    },
  }),
  unsubscribeFromSender: declare({
    summary: 'Unsubscribe from the sender of a message',
    description:
      'For messages with one-click unsubscribe (RFC 8058). This service sends the request, without any data about the reader.',
    success: { status: 200, description: 'The result.', body: MailUnsubscribed },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/messages/{id}/unsubscribe', resource: MESSAGE },
    },
  }),
  listTrustedSenders: declare({
    summary: 'List senders whose remote images are always shown',
    success: { status: 200, description: 'The senders.', body: TrustedSenderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/trusted-senders' },
    },
  }),
  trustMailSender: declare({
    summary: 'Trust a sender, or stop trusting them',
    description:
      'Remote images of a trusted sender are always shown in messages that are proved to come from them.',
    body: TrustSender,
    success: { status: 204, description: 'Saved.' },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/trusted-senders' },
    },
  }),
  getMailMessageHtml: declare({
    summary: 'Get the HTML of a message, for a frame',
    description:
      'A document with its own Content-Security-Policy: it runs only the script that reports its height, and loads only images, through this service. 404 if has_html is false. While the service is too busy, the document says so.',
    query: MailHtmlQuery,
    success: { status: 200, description: 'The document.', media: 'text/html' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/html', member: 'read', resource: MESSAGE },
    },
  }),
  printMailMessage: declare({
    summary: 'Get a message with its header, as a page to print',
    query: MailPrintQuery,
    success: { status: 200, description: 'The page.', media: 'text/html' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/print', member: 'read', resource: MESSAGE },
    },
  }),
  getMailMessageSource: declare({
    summary: 'Get the source of a message as text',
    description: 'The first MB. GET raw returns all of it.',
    success: { status: 200, description: 'The source.', media: 'text/plain' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/source', member: 'read', resource: MESSAGE },
    },
  }),
  getRawMailMessage: declare({
    summary: 'Download a message as it was received',
    success: { status: 200, description: 'The message.', media: 'message/rfc822' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/raw', member: 'read', resource: MESSAGE },
    },
  }),
  getMailPart: declare({
    summary: 'Download an attachment',
    description: 'The bytes without a type, so that no browser opens the file by itself.',
    success: { status: 200, description: 'The bytes.', media: 'application/octet-stream' },
    raw: true,
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}',
        member: 'read',
        resource: MESSAGE,
        part: 'part',
      },
    },
  }),
  previewMailPart: declare({
    summary: 'Preview an attachment',
    description:
      'A raster image, recognized by its bytes, or the beginning of a text. 404 for everything else: SVG and HTML are documents, and a PDF can run scripts and load pages.',
    success: { status: 200, description: 'The image, or the text.', media: '*/*' },
    raw: true,
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}/preview',
        member: 'read',
        resource: MESSAGE,
        part: 'part',
      },
    },
  }),
  getMailPartThumbnail: declare({
    summary: 'Get a small image of an attached image',
    description:
      'Decoded and encoded again by this service. 404 for a file that is no raster image, and for an image over 16 megapixels.',
    success: { status: 200, description: 'The image.', media: 'image/*' },
    raw: true,
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/parts/{part}/thumbnail',
        member: 'read',
        resource: MESSAGE,
        part: 'part',
      },
    },
  }),
  getMailFiles: declare({
    summary: 'Download all attachments in one zip',
    description: 'Without the images that the HTML of the message shows.',
    query: MailMessageQuery,
    success: { status: 200, description: 'The zip.', media: 'application/zip' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/files', member: 'read', resource: MESSAGE },
    },
  }),
  getInlineMailPart: declare({
    summary: 'Get an image of a message, within its frame',
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
    summary: 'Get a remote image, within the frame of a message',
    description:
      'This service fetches it, without any data about the reader. Only for URLs in the document from GET html.',
    query: MailRemoteQuery,
    success: { status: 200, description: 'The image.', media: 'image/*' },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/messages/{id}/remote', resource: MESSAGE, signed: true },
    },
  }),
};
