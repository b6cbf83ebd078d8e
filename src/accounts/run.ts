/** Implements the operations of `operations.ts`. */
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import type { Run } from './calls.ts';
import { describeSessions } from './describe-session.ts';
import type { UserFactors } from './factors/user-factors.ts';
import { listChanges } from './list-changes.ts';
import type { ACCOUNT_OPERATIONS } from './operations.ts';
import { renameUser } from './own-user.ts';
import { requireSignIn } from './required-sign-in.ts';
import { endSession, endSessions } from './sessions.ts';
import { describeLink } from './sign-in-links.ts';

/** The parts of the core that the operations need. */
export interface AccountParts {
  database: Database;
  dashboardReads: FairReads;
  userFactors: Pick<UserFactors, 'assertMayRequire'>;
}

export const run: Run<typeof ACCOUNT_OPERATIONS, AccountParts> = {
  listChanges: ({ dashboardReads }, { principal: { organizationId }, query }) =>
    dashboardReads.run(organizationId, (pool) => listChanges(pool, organizationId, query)),
  updateUser: ({ database }, { principal, body }) => renameUser(database, principal.userId, body.name),
  listSessions: ({ database }, { principal }) => describeSessions(database, principal),
  endOtherSessions: ({ database }, { principal }) =>
    endSessions(database, principal.userId, principal.sessionId),
  endSession: ({ database }, { principal, id }) => endSession(database, principal.userId, id),
  findLink: ({ database }, { body }) => describeLink(database, body.token),
  requireSignIn: async ({ database, userFactors }, { principal, lookUp, body: { required } }) => {
    userFactors.assertMayRequire(required);
    // The cached session may lack a second factor that was proved a moment ago.
    const now = await lookUp({});
    await requireSignIn(database, principal.organizationId, required, now?.user ?? principal);
  },
};
