import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { totpAnswer } from '../../browser/totp-answer.ts';
import { mailRun } from '../operation.ts';

export const startMailTotp = mailRun(
  MAILBOX_ACCESS_OPERATIONS.startMailTotp,
  async ({ services, mailbox, session }) =>
    totpAnswer(await services.parts.mailboxFactors.second.startTotp(mailbox, session.address)),
);
