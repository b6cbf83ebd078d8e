/** How users are notified about problems (docs/alerts.md). */

export const ALERT_CHANNELS = ['email', 'slack', 'webhook'] as const;
export type AlertChannelName = (typeof ALERT_CHANNELS)[number];

/** The types of stored messages. */
export type AlertType = 'alert.opened' | 'alert.resolved' | 'digest.weekly';
