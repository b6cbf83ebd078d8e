/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { MailActions } from './mail-actions.ts';
import type { MAIL_ACTION_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MailActionParts {
  actions: Pick<MailActions, 'run' | 'undo'>;
}

export const run: Run<typeof MAIL_ACTION_OPERATIONS, MailActionParts> = {
  runMailAction: ({ actions }, { mailbox, body }) => actions.run(mailbox, body),
  undoMailActions: ({ actions }, { mailbox, body }) => actions.undo(mailbox, body.undo),
};
