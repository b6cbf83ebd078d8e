/** Operations on the labels of a mailbox. `run.ts` implements them. */
import {
  MailLabel,
  MailLabelList,
  RemovedMailLabel,
  RemoveMailLabel,
  SaveMailLabel,
} from '../../contract/mail/labels.ts';
import { declare } from '../../contract/operation.ts';

export const MAIL_LABEL_OPERATIONS = {
  listMailLabels: declare({
    summary: 'List labels with the number of their unread messages',
    success: { status: 200, description: 'The labels.', body: MailLabelList },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/labels', member: 'read' } },
  }),
  saveMailLabel: declare({
    summary: 'Create a label, or change its name and color',
    body: SaveMailLabel,
    success: { status: 200, description: 'The label.', body: MailLabel },
    errors: ['already-exists'],
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/labels', member: 'write' } },
  }),
  removeMailLabel: declare({
    summary: 'Delete a label and remove it from its messages, which stay',
    body: RemoveMailLabel,
    success: { status: 200, description: 'The result.', body: RemovedMailLabel },
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/labels/remove', member: 'write' } },
  }),
};
