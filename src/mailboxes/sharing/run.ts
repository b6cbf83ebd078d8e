/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import { readSharing, shareMailbox, unshareMailbox } from './grants.ts';
import type { SHARING_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface SharingParts {
  database: Database;
}

export const run: Run<typeof SHARING_OPERATIONS, SharingParts> = {
  getMailboxSharing: ({ database }, { mailbox }) => readSharing(database, mailbox),
  shareMailbox: async ({ database }, { mailbox, body }) => {
    await shareMailbox(database, mailbox, body);
    return readSharing(database, mailbox);
  },
  unshareMailbox: ({ database }, { mailbox, query }) => unshareMailbox(database, mailbox, query.member),
};
