/** Builds `NewSubmission` objects for tests. */
import { prepareInRow } from '../../src/blobs/blobs.ts';
import { newUuid } from '../../src/model/ids.ts';
import type { NewSubmission, NewSubmissionRecipient } from '../../src/sending/submit/insert-submissions.ts';
import { DEFAULT_NOTIFY } from '../../src/rfc/smtp/dsn-parameters.ts';
import { PROJECT } from './emails.ts';

export function recipientOf(address: string): NewSubmissionRecipient {
  return { address, notify: DEFAULT_NOTIFY, originalRecipient: null };
}

/** @param raw the whole message, with CRLF line ends */
export function newSubmission(
  fields: Partial<NewSubmission> = {},
  raw:
    | string
    | Buffer = 'From: ada@posthorn.localhost\r\nMessage-ID: <1@posthorn.localhost>\r\n\r\nHello\r\n',
): NewSubmission {
  const projectId = fields.projectId ?? PROJECT;
  return {
    projectId,
    submissionId: newUuid(),
    mailboxId: newUuid(),
    kind: 'submitted',
    reversePath: null,
    fromAddress: 'ada@posthorn.localhost',
    fromDomain: 'posthorn.localhost',
    messageId: '<1@posthorn.localhost>',
    blob: prepareInRow(projectId, Buffer.from(raw)),
    isUtf8: false,
    envelopeId: null,
    returns: null,
    recipients: [recipientOf('b@dst.test')],
    key: null,
    ...fields,
  };
}
