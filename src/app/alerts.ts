/** Builds the parts that notify users about problems. No logic. */
import { hostname } from 'node:os';
import { AlertWatch } from '../alerts/alert-watch.ts';
import type { AlertChannels } from '../alerts/channel.ts';
import { MessageSender } from '../alerts/message-sender.ts';
import { runAlerts } from '../alerts/run-alerts.ts';
import { slackChannel } from '../alerts/slack.ts';
import { webhookChannel } from '../alerts/webhook.ts';
import type { BaseCore } from './base-core.ts';
import type { Core } from './core.ts';

/** The maximum number of concurrent requests to one origin. */
const CONNECTIONS = 5;

export function createAlertChannels(core: Pick<BaseCore, 'openClient'>): AlertChannels {
  const client = core.openClient(CONNECTIONS);
  return { slack: slackChannel(client), webhook: webhookChannel(client) };
}

/** Starts checking for problems and sending messages. The core must be unsealed. */
export function startAlerts(core: Core): AsyncDisposable {
  const { health, trustsManualVerification, config, logger, sealer, alertChannels: channels, baseUrl } = core;
  const database = core.lane('alerts');
  const { keepDays } = config;
  const watch = new AlertWatch({
    database,
    health,
    trustsManualVerification,
    keepDays,
    host: hostname(),
    logger,
  });
  return runAlerts(watch, new MessageSender({ database, sealer, channels, baseUrl, logger }));
}
