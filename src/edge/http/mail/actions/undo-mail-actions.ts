import {
  MAX_UNDO_LENGTH,
  MAX_UNDOS,
  UndoMailActions,
  UndoneMailActions,
} from '../../../../contract/mail/actions.ts';
import { mailOperation } from '../operation.ts';

/** With what stands between them. */
const MAX_BODY_BYTES = MAX_UNDOS * (MAX_UNDO_LENGTH + 10);

export const undoMailActions = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/actions/undo',
  summary: 'Put back what actions of the last ten minutes changed',
  body: UndoMailActions,
  maxBodyBytes: MAX_BODY_BYTES,
  success: { status: 200, description: 'What was put back.', body: UndoneMailActions },
  run: ({ services, mailbox, body }) => services.actions.undo(mailbox, body.undo),
});
