/** Operations for the overview of a project and its usage. `run.ts` implements them. */
import { Metrics, MetricsQuery } from '../../contract/dashboard/metrics.ts';
import { Overview, OverviewQuery, StartProgress } from '../../contract/dashboard/overview.ts';
import {
  MailboxSending,
  MailboxUsagePage,
  MailboxUsageQuery,
  Usage,
} from '../../contract/dashboard/usage.ts';
import { declare } from '../../contract/operation.ts';

export const OVERVIEW_OPERATIONS = {
  getStart: declare({
    summary: 'Tell how far a project is on the way to its first email',
    success: { status: 200, description: 'The progress.', body: StartProgress },
    doors: {
      dashboard: { route: 'GET /projects/{project}/start', role: 'viewer' },
    },
  }),
  getOverview: declare({
    summary: 'Tell what became of the emails of a project, what waits, and what needs somebody',
    query: OverviewQuery,
    success: { status: 200, description: 'The overview.', body: Overview },
    doors: {
      dashboard: { route: 'GET /projects/{project}/overview', role: 'viewer' },
    },
  }),
  getMetrics: declare({
    summary: 'Tell what became of the emails of a project over time, and by what they have in common',
    query: MetricsQuery,
    success: { status: 200, description: 'The numbers of all charts.', body: Metrics },
    doors: {
      dashboard: { route: 'GET /projects/{project}/metrics', role: 'viewer' },
    },
  }),
  getUsage: declare({
    summary: 'Tell how much of its plan a project uses, day by day',
    success: { status: 200, description: 'Its usage.', body: Usage },
    doors: {
      dashboard: { route: 'GET /projects/{project}/usage', role: 'viewer' },
    },
  }),
  listMailboxUsage: declare({
    summary: 'List what each mailbox keeps and sends, page by page',
    query: MailboxUsageQuery,
    success: { status: 200, description: 'A page.', body: MailboxUsagePage },
    doors: {
      dashboard: { route: 'GET /projects/{project}/usage/mailboxes', role: 'viewer' },
    },
  }),
  getMailboxSending: declare({
    summary: 'What a mailbox sends, beside its limit',
    success: { status: 200, description: 'Numbers.', body: MailboxSending },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/sending',
        role: 'viewer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
};
