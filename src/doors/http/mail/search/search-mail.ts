import { MAIL_LIST_OPERATIONS } from '../../../../webmail/list/operations.ts';
import { goneSignal } from '../../when-gone.ts';
import { mailRun } from '../operation.ts';

export const searchMail = mailRun(MAIL_LIST_OPERATIONS.searchMail, ({ services, mailbox, query, reply }) =>
  services.search.search(mailbox, query, goneSignal(reply)),
);
