/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { SendingHealth } from '../health/sending-health.ts';
import { readMailboxSending, readMailboxUsage } from './mailbox-usage.ts';
import { readCharts } from './metrics.ts';
import type { OVERVIEW_OPERATIONS } from './operations.ts';
import { readOverview, readStart } from './overview.ts';
import { readPlanUsage } from './plan-usage.ts';

/** The objects that the operations work with. */
export interface OverviewParts {
  dashboardReads: FairReads;
  health: SendingHealth;
  trustsManualVerification: boolean;
  config: { keepDays: number | null };
}

export const run: Run<typeof OVERVIEW_OPERATIONS, OverviewParts> = {
  getStart: ({ dashboardReads }, { projectId }) =>
    dashboardReads.run(projectId, (pool) => readStart(pool, projectId)),
  getHealth: ({ health }, { projectId, principal }) => health.read(projectId, principal.isOperator),
  getOverview: ({ dashboardReads, trustsManualVerification, config: { keepDays } }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) =>
      readOverview(pool, projectId, query.range ?? '7d', { trustsManualVerification, keepDays }),
    ),
  getMetrics: ({ dashboardReads, config }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) =>
      readCharts(pool, projectId, query.range ?? '7d', query.by ?? 'all', config.keepDays),
    ),
  getUsage: ({ dashboardReads, config }, { projectId }) =>
    dashboardReads.run(projectId, (pool) => readPlanUsage(pool, projectId, config.keepDays)),
  listMailboxUsage: ({ dashboardReads }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) => readMailboxUsage(pool, projectId, query)),
  getMailboxSending: ({ dashboardReads }, { projectId, id }) =>
    dashboardReads.run(projectId, (pool) => readMailboxSending(pool, { projectId, mailboxId: id })),
};
