import { CreatedMailbox, CreateMailbox } from '../../../../contract/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const createMailbox = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes',
  role: 'developer',
  confirms: true,
  summary: 'Make a mailbox',
  description: 'A password that was generated is in the answer, and in no other one.',
  body: CreateMailbox,
  success: { status: 201, description: 'The mailbox.', body: CreatedMailbox },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.mailboxes.create(projectId, body),
});
