import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const announceLinkFile = mailRun(FILE_LINK_OPERATIONS.announceLinkFile, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
