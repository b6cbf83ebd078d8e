import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { waitingFor } from '../../browser/waiting-for.ts';
import { mailRun } from '../operation.ts';

export const askMailPasskey = mailRun(
  MAILBOX_ACCESS_OPERATIONS.askMailPasskey,
  async ({ services, body: { ticket } }) => {
    const { second, passkeys } = services.parts.mailboxFactors;
    return passkeys.startProving(ticket === undefined ? null : (await waitingFor(second, ticket)).id);
  },
);
