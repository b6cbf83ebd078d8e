import { Draft } from '../../../../contract/mail/drafts.ts';
import { mailOperation } from '../operation.ts';
import { draftBody } from './draft-body.ts';

export const getDraft = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/drafts/{id}',
  resource: { name: 'draft', prefix: 'msg' },
  summary: 'A draft to go on with',
  description: 'Also one that a mail app made.',
  success: { status: 200, description: 'The draft.', body: Draft },
  run: async ({ services, mailbox, id }): Promise<Draft> =>
    draftBody(mailbox, await services.composer.open(mailbox, id)),
});
