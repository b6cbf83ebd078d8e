import type { AlertChannels } from '../alerts/channel.ts';
import { slackChannel } from '../alerts/slack.ts';
import { webhookChannel } from '../alerts/webhook.ts';
import type { BaseCore } from './base-core.ts';

/** The maximum number of concurrent requests to one origin. */
const CONNECTIONS = 5;

/** The ways to notify users about problems. */
export function createAlertChannels(core: Pick<BaseCore, 'openClient'>): AlertChannels {
  const client = core.openClient(CONNECTIONS);
  return { slack: slackChannel(client), webhook: webhookChannel(client) };
}
