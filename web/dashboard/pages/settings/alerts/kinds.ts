/** The names of problems and channels. */
import type { Alert, CreateAlert } from '../../../../../src/contract/dashboard/alerts.ts';
import type { Scope } from './queries.ts';

type Kind = CreateAlert['kinds'][number];

const PROJECT_KINDS: Readonly<Partial<Record<Kind, string>>> = {
  stopped: 'No emails are sent',
  paused: 'Sending is paused',
  delayed: 'Emails are sent late',
  bounces: 'High bounce rate',
  complaints: 'High spam complaint rate',
  domain: 'Domain not verified, or its records are missing',
  webhook: 'Webhook failing or disabled',
  route: 'Route',
  mailbox: 'Mailbox locked for sending',
  plan: 'Plan limit nearly used',
  'api-key': 'API key expires',
};

const INSTALLATION_KINDS: Readonly<Partial<Record<Kind, string>>> = {
  workers: 'No worker is running',
  provider: 'Provider missing or not matching',
  paused: 'Sending is paused',
  delayed: 'Workers do not keep up with the queue',
  disk: 'Disk nearly full',
  certificate: 'Certificate expires',
  backup: 'No recent backup',
};

/** The kinds of problems with their names, in the order of danger. */
export function kindsOf(scope: Scope): readonly (readonly [Kind, string])[] {
  return Object.entries(scope === null ? INSTALLATION_KINDS : PROJECT_KINDS) as [Kind, string][];
}

export const CHANNELS: Readonly<Record<Alert['channel'], string>> = {
  email: 'Email',
  slack: 'Slack',
  webhook: 'Signed webhook',
};
