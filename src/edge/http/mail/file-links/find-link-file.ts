import { mailOperation } from '../operation.ts';

export const findLinkFile = mailOperation({
  method: 'HEAD',
  path: '/mailboxes/{mailbox}/file-links/uploads/{id}',
  resource: { name: 'file', prefix: 'fil' },
  summary: 'How far an upload came',
  description: 'tus 1.0, with its headers.',
  success: {
    status: 200,
    description: '`Upload-Offset` says it, and `Posthorn-Received-Crc32` which bytes they are.',
  },
  errors: ['tus-version'],
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
