import { FILE_LINK_OPERATIONS } from '../../../../file-links/operations.ts';
import { mailRun } from '../operation.ts';

export const describeLinkUploads = mailRun(FILE_LINK_OPERATIONS.describeLinkUploads, async (call) =>
  (await import('./tus.ts')).serveTus(call),
);
