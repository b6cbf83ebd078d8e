import { MAIL_WRITING_OPERATIONS } from '../../../../webmail/write/operations.ts';
import { Readable } from 'node:stream';
import { mailRun } from '../operation.ts';

/** Media types that a browser may show as an image. SVG is excluded, because an SVG image can contain scripts. */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

export const getUpload = mailRun(
  MAIL_WRITING_OPERATIONS.getUpload,
  async ({ services, mailbox, id, reply }) => {
    const [row] = await services.uploads.find(mailbox, [id]);
    if (row === undefined || row === null) return null;
    return reply
      .type(PICTURES.has(row.type) ? row.type : 'application/octet-stream')
      .header('content-disposition', 'attachment')
      .header('content-length', row.octets)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'same-origin')
      .send(Readable.from(services.uploads.read(mailbox, id)));
  },
);
