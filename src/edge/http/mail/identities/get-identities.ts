import { MAX_DRAFT_RECIPIENTS } from '../../../../contract/mail/drafts.ts';
import { Identities } from '../../../../contract/mail/identities.ts';
import { AppError } from '../../../../model/app-error.ts';
import { MAX_MESSAGE_BYTES, MAX_SCHEDULE_DAYS } from '../../../../webmail/write/limits.ts';
import { TIMINGS } from '../../../../webmail/write/timings.ts';
import { mailOperation } from '../operation.ts';

export const getIdentities = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/identities',
  summary: 'As whom the mailbox writes, and within what bounds',
  success: { status: 200, description: 'Its addresses, its signature and the bounds.', body: Identities },
  async run({ services, mailbox }): Promise<Identities> {
    const found = await services.identities(mailbox);
    if (found === null) throw new AppError('not-signed-in', 'The mailbox is deleted.');
    const { addresses, name, signatureHtml, replyTo, fileBytes } = found;
    return {
      data: addresses.map((address) => ({ address, name })),
      signature_html: signatureHtml,
      reply_to: replyTo,
      limits: {
        file_bytes: fileBytes,
        message_bytes: MAX_MESSAGE_BYTES,
        recipients: MAX_DRAFT_RECIPIENTS,
        undo_seconds: TIMINGS.undoMs / 1_000,
        schedule_days: MAX_SCHEDULE_DAYS,
      },
    };
  },
});
