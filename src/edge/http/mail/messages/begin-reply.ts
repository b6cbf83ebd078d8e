import { Reply, ReplyQuery } from '../../../../contract/mail/drafts.ts';
import { attachmentsBody, contentBody } from '../drafts/draft-body.ts';
import { mailOperation } from '../operation.ts';

export const beginReply = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/reply',
  resource: { name: 'message', prefix: 'msg' },
  query: ReplyQuery,
  summary: 'What an answer begins with, or a message that is handed on',
  description:
    'Nothing is saved. Files of a message that is handed on, and pictures in what is quoted, need not be sent again: they are uploads already.',
  success: { status: 200, description: 'Recipients, subject, the quote and the files.', body: Reply },
  async run({ services, mailbox, id, query }): Promise<Reply | null> {
    const begun = await services.replies.begin(mailbox, id, query);
    if (begun === null) return null;
    const { content, uploads } = begun;
    return { ...contentBody(mailbox, content), attachments: attachmentsBody(mailbox, content, uploads) };
  },
});
