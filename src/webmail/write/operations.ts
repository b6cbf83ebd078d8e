/** Operations for writing mail: identities, addresses, drafts and waiting messages. `run.ts` implements them. */
import { Upload, UploadQuery } from '../../contract/mail/uploads.ts';
import { AddressQuery, KnownAddresses } from '../../contract/mail/addresses.ts';
import { Draft, MAX_DRAFT_BYTES, Reply, ReplyQuery, SaveDraft } from '../../contract/mail/drafts.ts';
import { CannedResponse, CannedResponses, SaveCannedResponse } from '../../contract/mail/canned-responses.ts';
import { Identities, SaveIdentity } from '../../contract/mail/identities.ts';
import { Outgoing, OutgoingList, SendDraft } from '../../contract/mail/outgoing.ts';
import { declare } from '../../contract/operation.ts';

const IDENTITY = { name: 'identity', prefix: 'snd' } as const;
const RESPONSE = { name: 'canned response', prefix: 'can' } as const;

export const MAIL_WRITING_OPERATIONS = {
  getIdentities: declare({
    summary: 'Get the sender addresses of the mailbox, and its limits',
    success: { status: 200, description: 'The addresses, the signature and the limits.', body: Identities },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/identities' },
    },
  }),
  createIdentity: declare({
    summary: 'Create an identity: an address with a name, a signature and a Reply-To',
    body: SaveIdentity,
    success: { status: 204, description: 'Created.' },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/identities' },
    },
  }),
  changeIdentity: declare({
    summary: 'Change an identity',
    description:
      'Replaces all fields. For the main identity, changes the name and the signature of the mailbox.',
    body: SaveIdentity,
    success: { status: 204, description: 'Changed.' },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/identities/{id}', resource: IDENTITY },
    },
  }),
  deleteIdentity: declare({
    summary: 'Delete an identity',
    description: 'The main identity cannot be deleted.',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/identities/{id}', resource: IDENTITY },
    },
  }),
  listCannedResponses: declare({
    summary: 'List canned responses',
    success: {
      status: 200,
      description: 'The names and the beginnings of the texts.',
      body: CannedResponses,
    },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/canned-responses', member: 'read' },
    },
  }),
  getCannedResponse: declare({
    summary: 'Get a canned response',
    success: { status: 200, description: 'The response with its text.', body: CannedResponse },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/canned-responses/{id}', member: 'read', resource: RESPONSE },
    },
  }),
  createCannedResponse: declare({
    summary: 'Create a canned response',
    body: SaveCannedResponse,
    success: { status: 201, description: 'The response.', body: CannedResponse },
    errors: ['already-exists'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/canned-responses', member: 'write' },
    },
  }),
  changeCannedResponse: declare({
    summary: 'Change a canned response',
    body: SaveCannedResponse,
    success: { status: 200, description: 'The response.', body: CannedResponse },
    errors: ['already-exists'],
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/canned-responses/{id}', member: 'write', resource: RESPONSE },
    },
  }),
  deleteCannedResponse: declare({
    summary: 'Delete a canned response',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/canned-responses/{id}',
        member: 'write',
        resource: RESPONSE,
      },
    },
  }),
  findAddresses: declare({
    summary: 'Suggest recipients',
    description:
      'Contacts, people that the mailbox has written to or received mail from, and people from the directory if the project shows it to its mailboxes.',
    query: AddressQuery,
    success: { status: 200, description: 'The most likely ones first.', body: KnownAddresses },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/addresses' },
    },
  }),
  createDraft: declare({
    summary: 'Create a draft',
    description:
      'A draft is a message in Drafts, which mail apps see. Repeated requests of one composer (client) create only one draft.',
    body: SaveDraft,
    success: {
      status: 201,
      description: 'The draft, with warnings for its author.',
      body: Draft,
    },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/drafts', maxBodyBytes: MAX_DRAFT_BYTES },
    },
  }),
  getDraft: declare({
    summary: 'Get a draft',
    description: 'Includes drafts of mail apps.',
    success: { status: 200, description: 'The draft.', body: Draft },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/drafts/{id}', resource: { name: 'draft', prefix: 'msg' } },
    },
  }),
  saveDraft: declare({
    summary: 'Save a draft',
    description:
      'The message is replaced, so the draft gets a new id. If it was changed, sent or deleted elsewhere in the meantime, both versions are saved, and conflict gives the reason.',
    body: SaveDraft,
    success: { status: 200, description: 'The draft with its new id.', body: Draft },
    doors: {
      mail: {
        route: 'PUT /mailboxes/{mailbox}/drafts/{id}',
        resource: { name: 'draft', prefix: 'msg' },
        maxBodyBytes: MAX_DRAFT_BYTES,
      },
    },
  }),
  deleteDraft: declare({
    summary: 'Delete a draft permanently',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/drafts/{id}', resource: { name: 'draft', prefix: 'msg' } },
    },
  }),
  sendDraft: declare({
    summary: 'Send a draft, now or later',
    description:
      'The draft is removed from Drafts and sent once, after the time for undoing or at its time, under the same rules as for mail apps. A copy is then in Sent. A repeated request does not send it again. If it is rejected when its time comes, it becomes a draft again, and a message in the Inbox gives the reason.',
    body: SendDraft,
    success: {
      status: 202,
      description: 'The message is waiting to be sent, and can be cancelled.',
      body: Outgoing,
    },
    errors: ['already-exists', 'domain-not-verified', 'plan-limit-exceeded'],
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/drafts/{id}/send',
        resource: { name: 'draft', prefix: 'msg' },
      },
    },
  }),
  beginReply: declare({
    summary: 'Prepare a reply or a forward',
    description:
      'Nothing is saved. Files of a forwarded message and images in the quote are already uploads.',
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
    summary: 'List messages waiting to be sent, and the outcomes of the last day',
    success: { status: 200, description: 'The list.', body: OutgoingList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/outgoing' },
    },
  }),
  cancelOutgoing: declare({
    summary: 'Cancel a message waiting to be sent',
    description:
      'The message becomes a draft again. Returns 400 bad-request if the message has already been sent.',
    success: { status: 200, description: 'The draft.', body: Draft },
    errors: ['bad-request'],
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/outgoing/{id}/cancel',
        resource: { name: 'outgoing message', prefix: 'out' },
      },
    },
  }),
  createUpload: declare({
    summary: 'Upload a file to attach',
    description:
      'The body is the bytes of the file, of any type. The file is stored for a day, and for as long as a draft uses it. Files larger than the plan of the project allows are rejected.',
    bodyKind: 'octets',
    query: UploadQuery,
    success: { status: 201, description: 'The file, for use in drafts.', body: Upload },
    raw: true,
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/uploads' } },
  }),
  getUpload: declare({
    summary: 'Download an uploaded file',
    success: {
      status: 200,
      description: 'The bytes. An image has its type; other files have none that a browser would run.',
      media: 'application/octet-stream',
    },
    raw: true,
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/uploads/{id}', resource: { name: 'file', prefix: 'upl' } },
    },
  }),
};
