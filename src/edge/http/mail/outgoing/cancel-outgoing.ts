import { Draft } from '../../../../contract/mail/drafts.ts';
import { draftBody } from '../drafts/draft-body.ts';
import { mailOperation } from '../operation.ts';

export const cancelOutgoing = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/outgoing/{id}/cancel',
  resource: { name: 'message on its way', prefix: 'out' },
  summary: 'Take back what waits to be sent',
  description: 'It is a draft again. What is sent already is 400 bad-request: nothing was taken back.',
  success: { status: 200, description: 'The draft.', body: Draft },
  errors: ['bad-request'],
  async run({ services, mailbox, id }): Promise<Draft> {
    const { objectId } = await services.outgoing.cancel(mailbox, id);
    return draftBody(mailbox, await services.composer.open(mailbox, objectId));
  },
});
