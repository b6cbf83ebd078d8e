/** Operations that change mail and undo changes. `run.ts` implements them. */
import {
  MAX_UNDO_LENGTH,
  MAX_UNDOS,
  MailActionRequest,
  MailActionResult,
  UndoMailActions,
  UndoneMailActions,
} from '../../contract/mail/actions.ts';
import { declare } from '../../contract/operation.ts';

/** Maximum size of a request body, including the JSON punctuation between the undo texts. */
const MAX_UNDO_BYTES = MAX_UNDOS * (MAX_UNDO_LENGTH + 10);

export const MAIL_ACTION_OPERATIONS = {
  runMailAction: declare({
    summary: 'Move, flag or delete conversations, messages, a whole folder or all search results',
    description: 'Large actions run in batches: the response says how to continue.',
    body: MailActionRequest,
    success: { status: 200, description: 'The result.', body: MailActionResult },
    errors: ['not-found'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/actions', member: 'write' },
    },
  }),
  undoMailActions: declare({
    summary: 'Undo actions of the last ten minutes',
    body: UndoMailActions,
    success: { status: 200, description: 'The result.', body: UndoneMailActions },
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/actions/undo',
        member: 'write',
        maxBodyBytes: MAX_UNDO_BYTES,
      },
    },
  }),
};
