/**
 * The modules whose operations the API, the dashboard and the web client offer. `mail/operation-modules.ts` adds modules whose operations
 * only the web client offers.
 */
import { ACCOUNT_OPERATIONS } from '../../accounts/operations.ts';
import { ORGANIZATION_OPERATIONS } from '../../accounts/organizations/operations.ts';
import { PROJECT_OPERATIONS } from '../../accounts/projects/operations.ts';
import { MEMBER_OPERATIONS } from '../../accounts/members/operations.ts';
import { FACTOR_OPERATIONS } from '../../accounts/factors/operations.ts';
import { KEY_OPERATIONS } from '../../accounts/keys/operations.ts';
import { API_LOG_OPERATIONS } from '../../accounts/api-log/operations.ts';
import { DOMAIN_OPERATIONS } from '../../domains/operations.ts';
import { DIRECTORY_OPERATIONS } from '../../directory/operations.ts';
import { MAILBOX_OPERATIONS } from '../../mailboxes/operations.ts';
import { MAILBOX_ACCESS_OPERATIONS } from '../../mailboxes/sign-in/operations.ts';
import { SHARING_OPERATIONS } from '../../mailboxes/sharing/operations.ts';
import { TEMPLATE_OPERATIONS } from '../../templates/operations.ts';
import { WEBHOOK_OPERATIONS } from '../../webhooks/operations.ts';
import { WEBHOOK_REPLAY_OPERATIONS } from '../../webhooks/replay/operations.ts';
import { WEBHOOK_LOG_OPERATIONS } from '../../webhooks/log/operations.ts';
import { ACCEPT_OPERATIONS } from '../../sending/accept/operations.ts';
import { DELIVERY_OPERATIONS } from '../../sending/deliver/operations.ts';
import { EMAIL_OPERATIONS } from '../../sending/read/operations.ts';
import { EMAIL_SEARCH_OPERATIONS } from '../../insights/search/operations.ts';
import { SUPPRESSION_OPERATIONS } from '../../sending/suppress/operations.ts';
import { SERVICE_MAIL_OPERATIONS } from '../../sending/service-mail/operations.ts';
import { FILTER_OPERATIONS } from '../../receiving/operations.ts';
import { FILE_LINK_OPERATIONS } from '../../file-links/operations.ts';
import { RETENTION_OPERATIONS } from '../../retention/operations.ts';
import { INSPECT_OPERATIONS } from '../../insights/operations.ts';
import { OVERVIEW_OPERATIONS } from '../../insights/overview/operations.ts';
import { ROUTE_OPERATIONS } from '../../routes/operations.ts';
import { ALERT_OPERATIONS } from '../../alerts/operations.ts';
import { ROUTE_MESSAGE_OPERATIONS } from '../../routes/messages/operations.ts';
import { SYSTEM_OPERATIONS } from '../../installation/system/operations.ts';
import { type PartsOf, type OperationModule, moduleOf } from './declared-operations.ts';

/** In the order of docs/architecture.md. */
const LISTED = [
  moduleOf(ORGANIZATION_OPERATIONS, () => import('../../accounts/organizations/run.ts')),
  moduleOf(PROJECT_OPERATIONS, () => import('../../accounts/projects/run.ts')),
  moduleOf(MEMBER_OPERATIONS, () => import('../../accounts/members/run.ts')),
  moduleOf(ACCOUNT_OPERATIONS, () => import('../../accounts/run.ts')),
  moduleOf(FACTOR_OPERATIONS, () => import('../../accounts/factors/run.ts')),
  moduleOf(KEY_OPERATIONS, () => import('../../accounts/keys/run.ts')),
  moduleOf(API_LOG_OPERATIONS, () => import('../../accounts/api-log/run.ts')),
  moduleOf(DOMAIN_OPERATIONS, () => import('../../domains/run.ts')),
  moduleOf(DIRECTORY_OPERATIONS, () => import('../../directory/run.ts')),
  moduleOf(MAILBOX_OPERATIONS, () => import('../../mailboxes/run.ts')),
  moduleOf(MAILBOX_ACCESS_OPERATIONS, () => import('../../mailboxes/sign-in/run.ts')),
  moduleOf(SHARING_OPERATIONS, () => import('../../mailboxes/sharing/run.ts')),
  moduleOf(TEMPLATE_OPERATIONS, () => import('../../templates/run.ts')),
  moduleOf(WEBHOOK_OPERATIONS, () => import('../../webhooks/run.ts')),
  moduleOf(WEBHOOK_REPLAY_OPERATIONS, () => import('../../webhooks/replay/run.ts')),
  moduleOf(WEBHOOK_LOG_OPERATIONS, () => import('../../webhooks/log/run.ts')),
  moduleOf(ACCEPT_OPERATIONS),
  moduleOf(DELIVERY_OPERATIONS, () => import('../../sending/deliver/run.ts')),
  moduleOf(EMAIL_OPERATIONS, () => import('../../sending/read/run.ts')),
  moduleOf(EMAIL_SEARCH_OPERATIONS, () => import('../../insights/search/run.ts')),
  moduleOf(SUPPRESSION_OPERATIONS, () => import('../../sending/suppress/run.ts')),
  moduleOf(SERVICE_MAIL_OPERATIONS, () => import('../../sending/service-mail/run.ts')),
  moduleOf(FILTER_OPERATIONS, () => import('../../receiving/run.ts')),
  moduleOf(FILE_LINK_OPERATIONS, () => import('../../file-links/run.ts')),
  moduleOf(RETENTION_OPERATIONS, () => import('../../retention/run.ts')),
  moduleOf(INSPECT_OPERATIONS, () => import('../../insights/run.ts')),
  moduleOf(OVERVIEW_OPERATIONS, () => import('../../insights/overview/run.ts')),
  moduleOf(ROUTE_OPERATIONS, () => import('../../routes/run.ts')),
  moduleOf(ROUTE_MESSAGE_OPERATIONS, () => import('../../routes/messages/run.ts')),
  moduleOf(ALERT_OPERATIONS, () => import('../../alerts/run.ts')),
  moduleOf(SYSTEM_OPERATIONS, () => import('../../installation/system/run.ts')),
];

/** The dependencies of all operations in the listed modules. */
export type ModuleParts = PartsOf<(typeof LISTED)[number]>;

export const OPERATION_MODULES: readonly OperationModule<ModuleParts>[] = LISTED;
