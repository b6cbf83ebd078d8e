import { Draft, MAX_DRAFT_BYTES, SaveDraft } from '../../../../contract/mail/drafts.ts';
import { mailOperation } from '../operation.ts';
import { contentOf, draftBody } from './draft-body.ts';

export const createDraft = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/drafts',
  summary: 'Save a draft for the first time',
  description:
    'It is a message in Drafts, which mail apps see. The same composer (client) makes one draft, however often it is saved so.',
  body: SaveDraft,
  maxBodyBytes: MAX_DRAFT_BYTES,
  success: { status: 201, description: 'The draft, with what its author may want to look at.', body: Draft },
  async run({ services, mailbox, body }): Promise<Draft> {
    const saving = { client: body.client, objectId: null, written: contentOf(body) };
    return draftBody(mailbox, await services.composer.save(mailbox, saving));
  },
});
