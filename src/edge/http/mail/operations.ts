/** Every operation of the web client, in the order of its document. */
import { namedMailOperations } from './operation.ts';
import { getMailSession } from './session/get-mail-session.ts';
import { signInToMailbox } from './session/sign-in-to-mailbox.ts';
import { signOutOfMailbox } from './session/sign-out-of-mailbox.ts';

export const MAIL_OPERATIONS = namedMailOperations({
  getMailSession,
  signInToMailbox,
  signOutOfMailbox,
});
