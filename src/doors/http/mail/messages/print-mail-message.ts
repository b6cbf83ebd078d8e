import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { knownZone } from '../../../../webmail/zoned-time.ts';
import { mailRun } from '../operation.ts';
import { framePolicy } from './frame-policy.ts';
import { sendHostile } from './send-hostile.ts';

export const printMailMessage = mailRun(
  MAIL_READING_OPERATIONS.printMailMessage,
  async ({ services, mailbox, session, id, query, request, reply, isSecure }) => {
    const page = await services.messages.printed(mailbox, id, {
      remote: query.remote === '1',
      zone: knownZone(query.zone ?? 'UTC'),
      address: session.address,
      part: query.part,
    });
    if (page === null) return null;
    return sendHostile(reply, page, {
      type: 'text/html; charset=utf-8',
      policy: framePolicy(request, isSecure, mailbox, id, null),
      saveAs: null,
    });
  },
);
