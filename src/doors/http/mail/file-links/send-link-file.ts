import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const sendLinkFile = mailRun(FILE_LINK_OPERATIONS.sendLinkFile, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
