import type { AlertChannels } from '../alerts/channel.ts';
import { EmailChannel } from '../alerts/email/email-channel.ts';
import type { ImmediateMail } from '../alerts/email/immediate-mail.ts';
import { slackChannel } from '../alerts/slack.ts';
import { webhookChannel } from '../alerts/webhook.ts';
import type { BaseCore } from './base-core.ts';

/** The maximum number of concurrent requests to one origin. */
const CONNECTIONS = 5;

interface Parts extends Pick<BaseCore, 'openClient'> {
  immediateMail: ImmediateMail;
}

/** The ways to notify users about problems. */
export function createAlertChannels(core: Parts): AlertChannels {
  const client = core.openClient(CONNECTIONS);
  return {
    email: new EmailChannel(core.immediateMail),
    slack: slackChannel(client),
    webhook: webhookChannel(client),
  };
}
