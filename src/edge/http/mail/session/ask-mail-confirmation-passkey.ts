import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { mailRun } from '../operation.ts';

export const askMailConfirmationPasskey = mailRun(
  MAILBOX_ACCESS_OPERATIONS.askMailConfirmationPasskey,
  ({ services, mailbox }) => services.factors.passkeys.startProving(mailbox),
);
