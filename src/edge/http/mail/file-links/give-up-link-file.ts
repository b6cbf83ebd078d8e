import { mailOperation } from '../operation.ts';

export const giveUpLinkFile = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/file-links/uploads/{id}',
  resource: { name: 'file', prefix: 'fil' },
  takes: 'octets',
  summary: 'Give up an upload',
  description: 'tus 1.0, with its headers.',
  success: { status: 204, description: 'It is gone.' },
  errors: ['tus-version'],
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
