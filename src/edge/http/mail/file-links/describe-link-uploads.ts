import { mailOperation } from '../operation.ts';

export const describeLinkUploads = mailOperation({
  method: 'OPTIONS',
  path: '/mailboxes/{mailbox}/file-links/uploads',
  summary: 'What of tus 1.0 is understood',
  description: 'tus 1.0, with its headers.',
  success: { status: 204, description: 'The headers say it.' },
  run: async (call) => (await import('./tus.ts')).answerTus(call),
});
