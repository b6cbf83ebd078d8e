/**
 * Whether the installation can send its own mail: `ready`; `at_risk`: DNS records of the sender's domain are missing, and mail is about to stop or receivers
 * may reject it; `stopped`: no service mail is accepted into the queue, and queued mail fails.
 */
export const SERVICE_MAIL_STATES = ['ready', 'at_risk', 'stopped'] as const;
export type ServiceMailStateName = (typeof SERVICE_MAIL_STATES)[number];
