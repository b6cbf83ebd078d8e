/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import type { FileLinks } from './file-links.ts';
import { listProjectLinks, revokeProjectLink } from './project-links.ts';
import type { FILE_LINK_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface FileLinkParts {
  dashboardReads: FairReads;
  database: Database;
  fileLinks: Pick<FileLinks, 'list' | 'get' | 'create' | 'change' | 'revoke'>;
}

export const run: Run<typeof FILE_LINK_OPERATIONS, FileLinkParts> = {
  listFileLinks: ({ fileLinks }, { mailbox, query }) => fileLinks.list(mailbox, query.cursor ?? null),
  createFileLink: ({ fileLinks }, { mailbox, body }) => fileLinks.create(mailbox, body),
  getFileLink: ({ fileLinks }, { mailbox, id }) => fileLinks.get(mailbox, id),
  changeFileLink: ({ fileLinks }, { mailbox, id, body }) => fileLinks.change(mailbox, id, body),
  revokeFileLink: ({ fileLinks }, { mailbox, id }) => fileLinks.revoke(mailbox, id),
  listProjectFileLinks: ({ dashboardReads }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) => listProjectLinks(pool, projectId, query.cursor ?? null)),
  revokeProjectFileLink: ({ database }, { projectId, id }) => revokeProjectLink(database, projectId, id),
};
