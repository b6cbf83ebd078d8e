import { mailOperation } from '../operation.ts';

export const announceLinkFile = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/file-links/uploads',
  takes: 'octets',
  summary: 'Announce a large file',
  description: 'tus 1.0, with its headers.',
  success: { status: 201, description: '`Location` is where its bytes go.' },
  errors: ['tus-version', 'plan-limit-exceeded'],
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
