import { Outgoing, SendDraft } from '../../../../contract/mail/outgoing.ts';
import { mailOperation } from '../operation.ts';
import { outgoingBody } from '../outgoing/outgoing-body.ts';

export const sendDraft = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/drafts/{id}/send',
  resource: { name: 'draft', prefix: 'msg' },
  summary: 'Send a draft, now or later',
  description:
    'It leaves Drafts, and goes out after ten seconds or at its time, once, by the rules of mail apps; a copy is in Sent then. Asked twice, it is sent once. Where it is refused when its time comes, it is a draft again, and a message in the Inbox says why.',
  body: SendDraft,
  success: { status: 202, description: 'It waits, and can be taken back.', body: Outgoing },
  errors: ['domain-not-verified', 'plan-limit-exceeded'],
  async run({ services, mailbox, id, body }): Promise<Outgoing> {
    const sendAt = body.send_at == null ? null : new Date(body.send_at);
    return outgoingBody(await services.outgoing.send(mailbox, id, sendAt));
  },
});
