/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { findPeople } from '../../contacts/suggest.ts';
import type { KnownAddresses } from '../../contract/mail/addresses.ts';
import { MAX_DRAFT_RECIPIENTS, type Reply } from '../../contract/mail/drafts.ts';
import type { Identities } from '../../contract/mail/identities.ts';
import type { OutgoingList } from '../../contract/mail/outgoing.ts';
import { attachmentsBody, contentBody, contentOf, draftBody } from './draft-body.ts';
import { outgoingBody } from './outgoing-body.ts';
import { AppError } from '../../model/app-error.ts';
import type { Database } from '../../db/database.ts';
import type { DraftComposer } from './composer.ts';
import type { Drafts } from './drafts.ts';
import { readIdentities } from './identities.ts';
import { type OutgoingMail, undoSeconds } from './outgoing.ts';
import type { CannedResponses } from './canned-responses.ts';
import type { OwnIdentities } from './own-identities.ts';
import type { Replies } from './reply.ts';
import { MAX_MESSAGE_BYTES, MAX_SCHEDULE_DAYS } from './limits.ts';
import type { MAIL_WRITING_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface MailWritingParts {
  cannedResponses: Pick<CannedResponses, 'list' | 'get' | 'create' | 'change' | 'remove'>;
  composer: Pick<DraftComposer, 'save' | 'open'>;
  drafts: Pick<Drafts, 'remove'>;
  identities: Pick<OwnIdentities, 'create' | 'change' | 'remove'>;
  /** The database pool of the web client. */
  mailDatabase: Database;
  outgoing: Pick<OutgoingMail, 'send' | 'list' | 'cancel'>;
  replies: Pick<Replies, 'begin'>;
}

export const run: Run<typeof MAIL_WRITING_OPERATIONS, MailWritingParts> = {
  getIdentities: async ({ mailDatabase }, { mailbox }): Promise<Identities> => {
    const found = await readIdentities(mailDatabase, mailbox);
    if (found === null) throw new AppError('not-signed-in', 'The mailbox is deleted.');
    const { identities, replyTo, fileBytes } = found;
    return {
      data: identities,
      reply_to: replyTo,
      limits: {
        file_bytes: fileBytes,
        message_bytes: MAX_MESSAGE_BYTES,
        recipients: MAX_DRAFT_RECIPIENTS,
        undo_seconds: await undoSeconds(mailDatabase, mailbox),
        schedule_days: MAX_SCHEDULE_DAYS,
      },
    };
  },
  createIdentity: ({ identities }, { mailbox, body }) => identities.create(mailbox, body),
  changeIdentity: ({ identities }, { mailbox, id, body }) => identities.change(mailbox, id, body),
  deleteIdentity: ({ identities }, { mailbox, id }) => identities.remove(mailbox, id),
  listCannedResponses: ({ cannedResponses }, { mailbox }) => cannedResponses.list(mailbox),
  getCannedResponse: ({ cannedResponses }, { mailbox, id }) => cannedResponses.get(mailbox, id),
  createCannedResponse: ({ cannedResponses }, { mailbox, body }) => cannedResponses.create(mailbox, body),
  changeCannedResponse: ({ cannedResponses }, { mailbox, id, body }) =>
    cannedResponses.change(mailbox, id, body),
  deleteCannedResponse: ({ cannedResponses }, { mailbox, id }) => cannedResponses.remove(mailbox, id),
  findAddresses: async ({ mailDatabase }, { mailbox, query }): Promise<KnownAddresses> => ({
    data: await findPeople(mailDatabase, mailbox, query.q),
  }),
  createDraft: async ({ composer }, { mailbox, body }) => {
    const saving = { client: body.client, objectId: null, written: contentOf(body) };
    return draftBody(mailbox, await composer.save(mailbox, saving));
  },
  getDraft: async ({ composer }, { mailbox, id }) => draftBody(mailbox, await composer.open(mailbox, id)),
  saveDraft: async ({ composer }, { mailbox, id, body }) => {
    const saving = { client: body.client, objectId: id, written: contentOf(body) };
    return draftBody(mailbox, await composer.save(mailbox, saving));
  },
  deleteDraft: ({ drafts }, { mailbox, id }) => drafts.remove(mailbox, id),
  sendDraft: async ({ outgoing }, { mailbox, id, body }) => {
    const sendAt = body.send_at == null ? null : new Date(body.send_at);
    return outgoingBody(await outgoing.send(mailbox, id, sendAt, body.key ?? null));
  },
  beginReply: async ({ replies }, { mailbox, id, query }): Promise<Reply | null> => {
    const begun = await replies.begin(mailbox, id, query);
    if (begun === null) return null;
    const { content, uploads } = begun;
    return { ...contentBody(mailbox, content), attachments: attachmentsBody(mailbox, content, uploads) };
  },
  listOutgoing: async ({ outgoing }, { mailbox }): Promise<OutgoingList> => ({
    data: (await outgoing.list(mailbox)).map(outgoingBody),
  }),
  cancelOutgoing: async ({ composer, outgoing }, { mailbox, id }) => {
    const { objectId } = await outgoing.cancel(mailbox, id);
    return draftBody(mailbox, await composer.open(mailbox, objectId));
  },
};
