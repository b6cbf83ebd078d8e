/** The named schemas of the dashboard's document: its own schemas, and the schemas that it shares with the API. */
import type { TSchema } from 'typebox';
import { COMPONENTS, componentsOf } from '../components.ts';
import * as alerts from './alerts.ts';
import * as aliases from './aliases.ts';
import * as apiKeys from './api-keys.ts';
import * as apiLog from './api-log.ts';
import * as directory from './directory.ts';
import * as domains from './domains.ts';
import * as email from './email.ts';
import * as emailLog from './email-log.ts';
import * as health from './health.ts';
import * as metrics from './metrics.ts';
import * as mailboxFiling from '../mailbox-filing.ts';
import * as mailboxes from './mailboxes.ts';
import * as sharing from './sharing.ts';
import * as operatorMail from './operator-mail.ts';
import * as overview from './overview.ts';
import * as organizations from './organizations.ts';
import * as fileLinks from './file-links.ts';
import * as factors from './factors.ts';
import * as projects from './projects.ts';
import * as queuedRecipients from './queued-recipients.ts';
import * as routeMessages from './route-messages.ts';
import * as routes from './routes.ts';
import * as session from './session.ts';
import * as suppressions from './suppressions.ts';
import * as templatePieces from './template-pieces.ts';
import * as templates from './templates.ts';
import * as usage from './usage.ts';
import * as system from './system.ts';
import * as tlsResults from './tls-results.ts';
import * as users from './users.ts';
import * as webhooks from './webhooks.ts';

export const DASHBOARD_COMPONENTS: readonly TSchema[] = [
  ...COMPONENTS,
  ...componentsOf(alerts),
  ...componentsOf(aliases),
  ...componentsOf(apiKeys),
  ...componentsOf(apiLog),
  ...componentsOf(directory),
  ...componentsOf(domains),
  ...componentsOf(email),
  ...componentsOf(emailLog),
  ...componentsOf(health),
  ...componentsOf(metrics),
  ...componentsOf(mailboxFiling),
  ...componentsOf(mailboxes),
  ...componentsOf(sharing),
  ...componentsOf(operatorMail),
  ...componentsOf(overview),
  ...componentsOf(organizations),
  ...componentsOf(factors),
  ...componentsOf(projects),
  ...componentsOf(queuedRecipients),
  ...componentsOf(routeMessages),
  ...componentsOf(routes),
  ...componentsOf(session),
  ...componentsOf(suppressions),
  ...componentsOf(templatePieces),
  ...componentsOf(templates),
  ...componentsOf(usage),
  ...componentsOf(fileLinks),
  ...componentsOf(system),
  ...componentsOf(tlsResults),
  ...componentsOf(users),
  ...componentsOf(webhooks),
];
