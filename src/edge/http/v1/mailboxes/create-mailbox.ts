import { CreatedMailbox, CreateMailbox } from '../../../../contract/mailboxes.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, createMailbox. */
export const createMailbox = operation({
  method: 'POST',
  path: '/mailboxes',
  scope: 'mailboxes:write',
  twin: 'createMailbox',
  summary: 'Create a mailbox',
  description:
    'The domain must have been added to the project; it need not be verified. The mailbox also gets an entry in the directory.',
  body: CreateMailbox,
  success: { status: 201, description: 'The mailbox.', body: CreatedMailbox },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, caller, body }) => services.mailboxes.create(caller.projectId, body),
});
