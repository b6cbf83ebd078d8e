/** Operations that change mail, and undo that. `run.ts` implements them. */
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
    summary: 'Move, mark or delete conversations, messages, or all of a folder or a search',
    description: 'All of something is done in turns: the answer says how to go on.',
    body: MailActionRequest,
    success: { status: 200, description: 'What was done.', body: MailActionResult },
    errors: ['not-found'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/actions' },
    },
  }),
  undoMailActions: declare({
    summary: 'Put back what actions of the last ten minutes changed',
    body: UndoMailActions,
    success: { status: 200, description: 'What was put back.', body: UndoneMailActions },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/actions/undo', maxBodyBytes: MAX_UNDO_BYTES },
    },
  }),
};
