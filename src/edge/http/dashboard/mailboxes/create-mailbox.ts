import { CreatedMailbox, CreateMailbox } from '../../../../contract/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const createMailbox = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes',
  role: 'developer',
  confirms: true,
  // Attack: a developer reads mail to addresses that do not exist yet, links that open an account among it.
  elevated: {
    role: 'admin',
    field: 'is_catch_all',
    by: ({ is_catch_all: isCatchAll }) => isCatchAll === true,
  },
  summary: 'Make a mailbox',
  description: 'A password that was generated is in the answer, and in no other one.',
  body: CreateMailbox,
  success: { status: 201, description: 'The mailbox.', body: CreatedMailbox },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.mailboxes.create(projectId, body),
});
