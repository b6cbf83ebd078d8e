import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const findLinkFile = mailRun(FILE_LINK_OPERATIONS.findLinkFile, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
