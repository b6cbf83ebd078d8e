import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getMailFiles = mailRun(
  MAIL_READING_OPERATIONS.getMailFiles,
  async ({ services, mailbox, id, query, reply }) => {
    const zip = await services.messageBytes.files(mailbox, id, query.part);
    if (zip === null) return null;
    return sendHostile(reply.header('content-length', zip.octets), zip.bytes, {
      type: 'application/zip',
      saveAs: 'attachments.zip',
    });
  },
);
