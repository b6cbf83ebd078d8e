import { Draft, MAX_DRAFT_BYTES, SaveDraft } from '../../../../contract/mail/drafts.ts';
import { mailOperation } from '../operation.ts';
import { contentOf, draftBody } from './draft-body.ts';

export const saveDraft = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/drafts/{id}',
  resource: { name: 'draft', prefix: 'msg' },
  summary: 'Save a draft again',
  description:
    'A new message takes its place, so it has another id. Where the draft was changed, sent or deleted elsewhere meanwhile, both are kept, and conflict says so.',
  body: SaveDraft,
  maxBodyBytes: MAX_DRAFT_BYTES,
  success: { status: 200, description: 'The draft under its new id.', body: Draft },
  async run({ services, mailbox, id, body }): Promise<Draft> {
    const saving = { client: body.client, objectId: id, written: contentOf(body) };
    return draftBody(mailbox, await services.composer.save(mailbox, saving));
  },
});
