/**
 * A typed client for the dashboard's API:
 *
 *     const { data } = useQuery({
 *       queryKey: ['api-keys', project.id],
 *       queryFn: ({ signal }) =>
 *         dataOf(api.GET('/projects/{project}/api-keys', { params: { path: { project: project.id } }, signal })),
 *     });
 */
import type { ACCOUNT_OPERATIONS } from '../../src/accounts/operations.ts';
import type { ORGANIZATION_OPERATIONS } from '../../src/accounts/organizations/operations.ts';
import type { PROJECT_OPERATIONS } from '../../src/accounts/projects/operations.ts';
import type { MEMBER_OPERATIONS } from '../../src/accounts/members/operations.ts';
import type { FACTOR_OPERATIONS } from '../../src/accounts/factors/operations.ts';
import type { KEY_OPERATIONS } from '../../src/accounts/keys/operations.ts';
import type { API_LOG_OPERATIONS } from '../../src/accounts/api-log/operations.ts';
import type { DOMAIN_OPERATIONS } from '../../src/domains/operations.ts';
import type { DIRECTORY_OPERATIONS } from '../../src/directory/operations.ts';
import type { MAILBOX_OPERATIONS } from '../../src/mailboxes/operations.ts';
import type { MAILBOX_ACCESS_OPERATIONS } from '../../src/mailboxes/sign-in/operations.ts';
import type { SHARING_OPERATIONS } from '../../src/mailboxes/sharing/operations.ts';
import type { TEMPLATE_OPERATIONS } from '../../src/templates/operations.ts';
import type { WEBHOOK_OPERATIONS } from '../../src/webhooks/operations.ts';
import type { WEBHOOK_REPLAY_OPERATIONS } from '../../src/webhooks/replay/operations.ts';
import type { WEBHOOK_LOG_OPERATIONS } from '../../src/webhooks/log/operations.ts';
import type { DELIVERY_OPERATIONS } from '../../src/sending/deliver/operations.ts';
import type { EMAIL_SEARCH_OPERATIONS } from '../../src/insights/search/operations.ts';
import type { SUPPRESSION_OPERATIONS } from '../../src/sending/suppress/operations.ts';
import type { SERVICE_MAIL_OPERATIONS } from '../../src/sending/service-mail/operations.ts';
import type { FILTER_OPERATIONS } from '../../src/receiving/operations.ts';
import type { FILE_LINK_OPERATIONS } from '../../src/file-links/operations.ts';
import type { RETENTION_OPERATIONS } from '../../src/retention/operations.ts';
import type { INSPECT_OPERATIONS } from '../../src/insights/operations.ts';
import type { OVERVIEW_OPERATIONS } from '../../src/insights/overview/operations.ts';
import type { ROUTE_OPERATIONS } from '../../src/routes/operations.ts';
import type { ROUTE_MESSAGE_OPERATIONS } from '../../src/routes/messages/operations.ts';
import type { ALERT_OPERATIONS } from '../../src/alerts/operations.ts';
import type { SYSTEM_OPERATIONS } from '../../src/installation/system/operations.ts';
import { createApi } from './client.ts';
import type { CallsOf, PathsOf } from './paths.ts';

let csrfToken = '';

/** @param token the session's token, sent with every request that changes data */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

type Calls =
  | CallsOf<typeof ORGANIZATION_OPERATIONS, 'dashboard'>
  | CallsOf<typeof PROJECT_OPERATIONS, 'dashboard'>
  | CallsOf<typeof MEMBER_OPERATIONS, 'dashboard'>
  | CallsOf<typeof ACCOUNT_OPERATIONS, 'dashboard'>
  | CallsOf<typeof FACTOR_OPERATIONS, 'dashboard'>
  | CallsOf<typeof KEY_OPERATIONS, 'dashboard'>
  | CallsOf<typeof API_LOG_OPERATIONS, 'dashboard'>
  | CallsOf<typeof DOMAIN_OPERATIONS, 'dashboard'>
  | CallsOf<typeof DIRECTORY_OPERATIONS, 'dashboard'>
  | CallsOf<typeof MAILBOX_OPERATIONS, 'dashboard'>
  | CallsOf<typeof MAILBOX_ACCESS_OPERATIONS, 'dashboard'>
  | CallsOf<typeof SHARING_OPERATIONS, 'dashboard'>
  | CallsOf<typeof TEMPLATE_OPERATIONS, 'dashboard'>
  | CallsOf<typeof WEBHOOK_OPERATIONS, 'dashboard'>
  | CallsOf<typeof WEBHOOK_REPLAY_OPERATIONS, 'dashboard'>
  | CallsOf<typeof WEBHOOK_LOG_OPERATIONS, 'dashboard'>
  | CallsOf<typeof DELIVERY_OPERATIONS, 'dashboard'>
  | CallsOf<typeof EMAIL_SEARCH_OPERATIONS, 'dashboard'>
  | CallsOf<typeof SUPPRESSION_OPERATIONS, 'dashboard'>
  | CallsOf<typeof SERVICE_MAIL_OPERATIONS, 'dashboard'>
  | CallsOf<typeof FILTER_OPERATIONS, 'dashboard'>
  | CallsOf<typeof FILE_LINK_OPERATIONS, 'dashboard'>
  | CallsOf<typeof RETENTION_OPERATIONS, 'dashboard'>
  | CallsOf<typeof INSPECT_OPERATIONS, 'dashboard'>
  | CallsOf<typeof OVERVIEW_OPERATIONS, 'dashboard'>
  | CallsOf<typeof ROUTE_OPERATIONS, 'dashboard'>
  | CallsOf<typeof ROUTE_MESSAGE_OPERATIONS, 'dashboard'>
  | CallsOf<typeof ALERT_OPERATIONS, 'dashboard'>
  | CallsOf<typeof SYSTEM_OPERATIONS, 'dashboard'>;

/** The `paths` type of openapi-fetch. */
export type DashboardPaths = PathsOf<Calls>;

export const api = createApi<DashboardPaths>({
  prefix: '/dashboard/api',
  readTimeoutMs: 8_000,
  csrfToken: () => csrfToken,
});
