import { Readable } from 'node:stream';
import { mailOperation } from '../operation.ts';

/** What a browser may show as a picture. No SVG: it may hold scripts. */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

export const getUpload = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/uploads/{id}',
  resource: { name: 'file', prefix: 'upl' },
  summary: 'The bytes of a file that was uploaded',
  success: {
    status: 200,
    description: 'The bytes. A picture has its type, and everything else none that a browser would run.',
    media: 'application/octet-stream',
  },
  async run({ services, mailbox, id, reply }) {
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
});
