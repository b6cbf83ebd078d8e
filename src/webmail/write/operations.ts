/** Operations for writing mail: identities, addresses, drafts, and what waits to be sent. `run.ts` implements them. */
import { Upload, UploadQuery } from '../../contract/mail/uploads.ts';
import { AddressQuery, KnownAddresses } from '../../contract/mail/addresses.ts';
import { Draft, MAX_DRAFT_BYTES, Reply, ReplyQuery, SaveDraft } from '../../contract/mail/drafts.ts';
import { Identities } from '../../contract/mail/identities.ts';
import { Outgoing, OutgoingList, SendDraft } from '../../contract/mail/outgoing.ts';
import { declare } from '../../contract/operation.ts';

export const MAIL_WRITING_OPERATIONS = {
  getIdentities: declare({
    summary: 'As whom the mailbox writes, and within what bounds',
    success: { status: 200, description: 'Its addresses, its signature and the bounds.', body: Identities },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/identities' },
    },
  }),
  findAddresses: declare({
    summary: 'Whom a message may be for',
    description:
      'Those that the mailbox wrote to before, and where the project shows it to its mailboxes, the people of its directory.',
    query: AddressQuery,
    success: { status: 200, description: 'The likeliest first.', body: KnownAddresses },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/addresses' },
    },
  }),
  createDraft: declare({
    summary: 'Save a draft for the first time',
    description:
      'It is a message in Drafts, which mail apps see. The same composer (client) makes one draft, however often it is saved so.',
    body: SaveDraft,
    success: {
      status: 201,
      description: 'The draft, with what its author may want to look at.',
      body: Draft,
    },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/drafts', maxBodyBytes: MAX_DRAFT_BYTES },
    },
  }),
  getDraft: declare({
    summary: 'A draft to go on with',
    description: 'Also one that a mail app made.',
    success: { status: 200, description: 'The draft.', body: Draft },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/drafts/{id}', resource: { name: 'draft', prefix: 'msg' } },
    },
  }),
  saveDraft: declare({
    summary: 'Save a draft again',
    description:
      'A new message takes its place, so it has another id. Where the draft was changed, sent or deleted elsewhere meanwhile, both are kept, and conflict says so.',
    body: SaveDraft,
    success: { status: 200, description: 'The draft under its new id.', body: Draft },
    doors: {
      mail: {
        route: 'PUT /mailboxes/{mailbox}/drafts/{id}',
        resource: { name: 'draft', prefix: 'msg' },
        maxBodyBytes: MAX_DRAFT_BYTES,
      },
    },
  }),
  deleteDraft: declare({
    summary: 'Delete a draft for ever',
    success: { status: 204, description: 'It is gone.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/drafts/{id}', resource: { name: 'draft', prefix: 'msg' } },
    },
  }),
  sendDraft: declare({
    summary: 'Send a draft, now or later',
    description:
      'It leaves Drafts, and goes out after ten seconds or at its time, once, by the rules of mail apps; a copy is in Sent then. Asked twice, it is sent once. Where it is refused when its time comes, it is a draft again, and a message in the Inbox says why.',
    body: SendDraft,
    success: { status: 202, description: 'It waits, and can be taken back.', body: Outgoing },
    errors: ['domain-not-verified', 'plan-limit-exceeded'],
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/drafts/{id}/send',
        resource: { name: 'draft', prefix: 'msg' },
      },
    },
  }),
  beginReply: declare({
    summary: 'What an answer begins with, or a message that is handed on',
    description:
      'Nothing is saved. Files of a message that is handed on, and pictures in what is quoted, need not be sent again: they are uploads already.',
    query: ReplyQuery,
    success: { status: 200, description: 'Recipients, subject, the quote and the files.', body: Reply },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/reply',
        resource: { name: 'message', prefix: 'msg' },
      },
    },
  }),
  listOutgoing: declare({
    summary: 'What waits to be sent, and what became of it within a day',
    success: { status: 200, description: 'The list.', body: OutgoingList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/outgoing' },
    },
  }),
  cancelOutgoing: declare({
    summary: 'Take back what waits to be sent',
    description: 'It is a draft again. What is sent already is 400 bad-request: nothing was taken back.',
    success: { status: 200, description: 'The draft.', body: Draft },
    errors: ['bad-request'],
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/outgoing/{id}/cancel',
        resource: { name: 'message on its way', prefix: 'out' },
      },
    },
  }),
  createUpload: declare({
    summary: 'Send a file that is to be attached',
    description:
      'The body is the bytes of the file, of any type. It is kept for a day, and as long as a draft has it. One that is larger than the plan of the project allows is refused.',
    takes: 'octets',
    query: UploadQuery,
    success: { status: 201, description: 'The file, to be named by drafts.', body: Upload },
    raw: true,
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/uploads' } },
  }),
  getUpload: declare({
    summary: 'The bytes of a file that was uploaded',
    success: {
      status: 200,
      description: 'The bytes. A picture has its type, and everything else none that a browser would run.',
      media: 'application/octet-stream',
    },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/uploads/{id}', resource: { name: 'file', prefix: 'upl' } },
    },
  }),
};
