/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { MessageBytes } from './message-bytes.ts';
import type { MessageReader } from './message-reader.ts';
import { listTrustedSenders, trustSender } from './sender/trusted-senders.ts';
import { readWaiting } from './waiting-recipients.ts';
import type { MAIL_READING_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MailReadingParts {
  database: Database;
  messageBytes: Pick<MessageBytes, 'unsubscribe'>;
  messages: Pick<MessageReader, 'describe'>;
  reads: FairReads;
}

export const run: Run<typeof MAIL_READING_OPERATIONS, MailReadingParts> = {
  getMailMessage: ({ messages }, { mailbox, id, query }) => messages.describe(mailbox, id, query.part),
  getWaitingRecipients: ({ reads }, { mailbox, id }) =>
    reads.run(mailbox.mailboxId, (pool) => readWaiting(pool, mailbox, id)),
  unsubscribeFromSender: ({ messageBytes }, { mailbox, id }) => messageBytes.unsubscribe(mailbox, id),
  listTrustedSenders: async ({ reads }, { mailbox }) => {
    const trusted = await reads.run(mailbox.mailboxId, (pool) => listTrustedSenders(pool, mailbox));
    return {
      data: trusted.map(({ address, createdAt }) => ({ address, created_at: createdAt.toISOString() })),
    };
  },
  trustMailSender: ({ database }, { mailbox, body }) =>
    trustSender(database, mailbox, body.address, body.trusted ?? true),
};
