import { mailOperation } from '../operation.ts';

export const sendLinkFileByPost = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/file-links/uploads/{id}',
  resource: { name: 'file', prefix: 'fil' },
  takes: 'octets',
  summary: 'Whatever X-HTTP-Method-Override says',
  description: 'tus 1.0, with its headers, for clients and proxies that know GET and POST alone.',
  success: { status: 204, description: 'As the method that it stands for.' },
  errors: ['tus-version', 'tus-media-type', 'upload-conflict', 'checksum-mismatch'],
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
