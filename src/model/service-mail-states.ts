/**
 * Whether the installation can send its own mail. `ready`: yes. `at_risk`: DNS records of the sender domain are missing. Receivers may
 * reject service mail, or the state will soon become `stopped`. `stopped`: no further service mail is accepted into the queue, and mail
 * that is already queued will fail.
 */
export const SERVICE_MAIL_STATES = ['ready', 'at_risk', 'stopped'] as const;
export type ServiceMailStateName = (typeof SERVICE_MAIL_STATES)[number];
