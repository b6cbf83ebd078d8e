import type { AlertChannels } from '../alerts/channel.ts';
import { EmailChannel } from '../alerts/email/email-channel.ts';
import { slackChannel } from '../alerts/slack.ts';
import { webhookChannel } from '../alerts/webhook.ts';
import type { Core } from './core.ts';

/** The maximum number of concurrent requests to one origin. */
const CONNECTIONS = 5;

/** The ways to notify users about problems. */
export function createAlertChannels(core: Pick<Core, 'openClient' | 'immediateMail'>): AlertChannels {
  const client = core.openClient(CONNECTIONS);
  return {
    email: new EmailChannel(core.immediateMail),
    slack: slackChannel(client),
    webhook: webhookChannel(client),
  };
}
