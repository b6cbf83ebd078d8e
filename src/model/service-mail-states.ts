/**
 * Whether the installation can send its own mail. `ready`: yes. `at_risk`: DNS records of the sender domain are missing, so that receivers
 * may reject service mail, or the state is about to become `stopped`. `stopped`: no service mail is queued, and queued service mail fails.
 */
export const SERVICE_MAIL_STATES = ['ready', 'at_risk', 'stopped'] as const;
export type ServiceMailStateName = (typeof SERVICE_MAIL_STATES)[number];
