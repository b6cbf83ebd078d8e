/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { UserFactors } from '../../accounts/factors/user-factors.ts';
import { readOperatorSignIn, requireOperatorSignIn } from '../../accounts/required-sign-in.ts';
import type { Database } from '../../db/database.ts';
import type { SYSTEM_OPERATIONS } from './operations.ts';
import type { System } from './system.ts';

/** The parts of the core that the operations need. */
export interface SystemParts {
  database: Database;
  system: System;
  userFactors: Pick<UserFactors, 'assertMayRequire'>;
}

export const run: Run<typeof SYSTEM_OPERATIONS, SystemParts> = {
  getDoctor: async ({ system }) => system.doctor.read(),
  runDoctor: async ({ system }) => system.doctor.runAgain(),
  getSystemQueue: ({ system }, { query }) => system.queue(query),
  listQueuedRecipients: ({ system }, { query }) => system.queuedRecipients(query),
  pauseQueue: async ({ system }) => {
    await system.pause();
  },
  resumeQueue: async ({ system }) => {
    await system.resume();
  },
  withdrawQueue: async ({ system }) => {
    const { withdrawn, isDone } = await system.withdraw();
    return { withdrawn, is_done: isDone };
  },
  holdDestination: async ({ system }, { body }) => {
    await system.hold(body.domain);
  },
  resumeDestination: async ({ system }, { body }) => {
    await system.resumeDestination(body.domain);
  },
  tryDestination: async ({ system }, { body }) => {
    await system.tryNow(body.domain);
  },
  listProcesses: ({ system }) => system.processes(),
  getStorage: ({ system }) => system.storage(),
  listStatements: ({ system }) => system.statements(),
  listCertificates: ({ system }) => system.certificates(),
  listTlsResults: ({ system }, { query }) => system.tlsResults(query),
  getLogLevel: ({ system }) => system.logLevel(),
  raiseLogLevel: ({ system }, { body }) => system.raiseLogLevel(body.minutes),
  resetLogLevel: async ({ system }) => {
    await system.resetLogLevel();
  },
  getOperatorSignIn: async ({ database }) => ({ required: await readOperatorSignIn(database) }),
  requireOperatorSignIn: async ({ database, userFactors }, { principal, lookUp, body: { required } }) => {
    userFactors.assertMayRequire(required);
    // Bypasses the cache, because the second factor may have been proved after the session was cached.
    const now = await lookUp({});
    await requireOperatorSignIn(database, required, now?.user ?? principal);
  },
  getVersions: ({ system }) => system.versions(),
  listOperatorMail: ({ system }) => system.operatorMail(),
  getOperatorMessage: ({ system }, { id }) => system.operatorMessage(id),
  deleteOperatorMessage: ({ system }, { id }) => system.deleteOperatorMail(id),
  listSystemChanges: ({ system }, { query }) => system.changes(query),
};
