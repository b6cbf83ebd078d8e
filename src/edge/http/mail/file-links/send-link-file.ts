import { mailOperation } from '../operation.ts';

export const sendLinkFile = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/file-links/uploads/{id}',
  resource: { name: 'file', prefix: 'fil' },
  takes: 'octets',
  summary: 'Send bytes of a large file',
  description: 'tus 1.0, with its headers.',
  success: { status: 204, description: 'They are kept. `Upload-Offset` says how far the upload came.' },
  errors: ['tus-version', 'tus-media-type', 'upload-conflict', 'checksum-mismatch'],
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
