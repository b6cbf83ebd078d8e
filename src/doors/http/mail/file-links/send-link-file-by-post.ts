import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const sendLinkFileByPost = mailRun(FILE_LINK_OPERATIONS.sendLinkFileByPost, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
