/** Operations on messages and their senders. `run.ts` implements them. */
import {
  MailMessage,
  MailUnsubscribed,
  MailWaiting,
  TrustSender,
  TrustedSenderList,
} from '../../contract/mail/messages.ts';
import { MESSAGE } from './message-resource.ts';
import { declare } from '../../contract/operation.ts';

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
};
