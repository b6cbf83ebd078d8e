/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { SendingHealth } from '../health/sending-health.ts';
import { readMailboxSending, readMailboxUsage } from './mailbox-usage.ts';
import { readCharts } from './metrics.ts';
import type { OVERVIEW_OPERATIONS } from './operations.ts';
import { findNeeds } from './needs.ts';
import { readOverview } from './overview.ts';
import { readPlanUsage } from './plan-usage.ts';
import { hideNextSteps, readStart } from './start.ts';
import { snooze } from './snoozes.ts';

/** The objects that the operations work with. */
export interface OverviewParts {
  database: Database;
  dashboardReads: FairReads;
  health: SendingHealth;
  trustsManualVerification: boolean;
  config: { keepDays: number | null };
}

export const run: Run<typeof OVERVIEW_OPERATIONS, OverviewParts> = {
  getStart: ({ dashboardReads, trustsManualVerification }, { projectId, principal: { userId, role } }) =>
    dashboardReads.run(projectId, (pool) =>
      readStart(pool, { projectId, userId, role, trustsManualVerification }),
    ),
  hideNextSteps: ({ database }, { projectId, principal: { userId }, body }) =>
    hideNextSteps(database, { projectId, userId }, body.hidden),
  getHealth: ({ health }, { projectId, principal }) => health.read(projectId, principal.isOperator),
  getOverview: async (
    { dashboardReads, health, trustsManualVerification, config: { keepDays } },
    { projectId, principal: { userId, isOperator }, query },
  ) => {
    const verdict = await health.read(projectId, isOperator);
    const of = { projectId, userId, health: verdict, trustsManualVerification, keepDays };
    return dashboardReads.run(projectId, async (pool) => ({
      ...(await readOverview(pool, projectId, query.range ?? '7d', keepDays)),
      needs: await findNeeds(pool, of),
    }));
  },
  snoozeNeed: ({ database }, { projectId, principal: { userId }, body }) =>
    snooze(database, { projectId, userId }, body),
  getMetrics: ({ dashboardReads, config }, { projectId, query }) =>
    dashboardReads.runFairly(projectId, (read) => readCharts(read, projectId, query, config.keepDays)),
  getUsage: ({ dashboardReads, config }, { projectId }) =>
    dashboardReads.run(projectId, (pool) => readPlanUsage(pool, projectId, config.keepDays)),
  listMailboxUsage: ({ dashboardReads }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) => readMailboxUsage(pool, projectId, query)),
  getMailboxSending: ({ dashboardReads }, { projectId, id }) =>
    dashboardReads.run(projectId, (pool) => readMailboxSending(pool, { projectId, mailboxId: id })),
};
