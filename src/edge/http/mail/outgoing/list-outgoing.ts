import { OutgoingList } from '../../../../contract/mail/outgoing.ts';
import { mailOperation } from '../operation.ts';
import { outgoingBody } from './outgoing-body.ts';

export const listOutgoing = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/outgoing',
  summary: 'What waits to be sent, and what became of it within a day',
  success: { status: 200, description: 'The list.', body: OutgoingList },
  run: async ({ services, mailbox }): Promise<OutgoingList> => ({
    data: (await services.outgoing.list(mailbox)).map(outgoingBody),
  }),
});
