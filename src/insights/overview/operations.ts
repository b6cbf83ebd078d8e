/** Operations for the overview of a project and its usage. `run.ts` implements them. */
import { Health } from '../../contract/dashboard/health.ts';
import { Metrics, MetricsQuery } from '../../contract/dashboard/metrics.ts';
import {
  HideNextSteps,
  Overview,
  OverviewQuery,
  Snooze,
  StartProgress,
} from '../../contract/dashboard/overview.ts';
import {
  MailboxSending,
  MailboxUsagePage,
  MailboxUsageQuery,
  Usage,
} from '../../contract/dashboard/usage.ts';
import { declare } from '../../contract/operation.ts';

export const OVERVIEW_OPERATIONS = {
  getStart: declare({
    summary: 'Get the progress of a project towards its first email, and the next steps',
    success: { status: 200, description: 'The progress.', body: StartProgress },
    doors: {
      dashboard: { route: 'GET /projects/{project}/start', role: 'viewer' },
    },
  }),
  hideNextSteps: declare({
    summary: 'Hide the next steps of a project from the user',
    body: HideNextSteps,
    success: { status: 204, description: 'Hidden, or shown again.' },
    doors: {
      dashboard: { route: 'PUT /projects/{project}/start', role: 'viewer' },
    },
  }),
  getHealth: declare({
    summary: 'Get whether the mail of a project is sent',
    success: { status: 200, description: 'The verdict.', body: Health },
    doors: {
      dashboard: { route: 'GET /projects/{project}/health', role: 'viewer' },
    },
  }),
  getOverview: declare({
    summary: 'Get the overview of a project: outcomes, queue, and what needs attention',
    query: OverviewQuery,
    success: { status: 200, description: 'The overview.', body: Overview },
    doors: {
      dashboard: { route: 'GET /projects/{project}/overview', role: 'viewer' },
    },
  }),
  snoozeNeed: declare({
    summary: 'Hide a problem from the user for a while',
    body: Snooze,
    success: { status: 204, description: 'Hidden, or shown again.' },
    doors: {
      dashboard: { route: 'PUT /projects/{project}/snoozes', role: 'viewer' },
    },
  }),
  getMetrics: declare({
    summary: 'Get the outcomes of the emails of a project over time, by dimension',
    query: MetricsQuery,
    success: { status: 200, description: 'The numbers of all charts.', body: Metrics },
    errors: ['validation-failed'],
    doors: {
      dashboard: { route: 'GET /projects/{project}/metrics', role: 'viewer' },
    },
  }),
  getUsage: declare({
    summary: 'Get the usage of the plan of a project, day by day',
    success: { status: 200, description: 'The usage.', body: Usage },
    doors: {
      dashboard: { route: 'GET /projects/{project}/usage', role: 'viewer' },
    },
  }),
  listMailboxUsage: declare({
    summary: 'List the storage and sent emails of each mailbox',
    query: MailboxUsageQuery,
    success: { status: 200, description: 'A page.', body: MailboxUsagePage },
    doors: {
      dashboard: { route: 'GET /projects/{project}/usage/mailboxes', role: 'viewer' },
    },
  }),
  getMailboxSending: declare({
    summary: 'Get the sent emails and the limit of a mailbox',
    success: { status: 200, description: 'The numbers.', body: MailboxSending },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/sending',
        role: 'viewer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
};
