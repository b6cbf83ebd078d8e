import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const giveUpLinkFile = mailRun(FILE_LINK_OPERATIONS.giveUpLinkFile, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
