import { hostname } from 'node:os';
import { AlertWatch } from '../alerts/alert-watch.ts';
import { MessageSender } from '../alerts/message-sender.ts';
import { runAlerts } from '../alerts/run-alerts.ts';
import type { Core } from './core.ts';

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
