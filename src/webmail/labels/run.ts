/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { MailLabels } from './mail-labels.ts';
import type { MAIL_LABEL_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MailLabelParts {
  labels: Pick<MailLabels, 'list' | 'save' | 'remove'>;
}

export const run: Run<typeof MAIL_LABEL_OPERATIONS, MailLabelParts> = {
  listMailLabels: async ({ labels }, { mailbox }) => ({ data: await labels.list(mailbox) }),
  saveMailLabel: ({ labels }, { mailbox, body }) => labels.save(mailbox, body),
  removeMailLabel: ({ labels }, { mailbox, body }) => labels.remove(mailbox, body.keyword),
};
