/** The events that a webhook can subscribe to (docs/contract.md, Events), and the event that is sent only when a user tests a webhook. */
import { EMAIL_STAGES, type EmailStage } from './email-status.ts';

export type EventKey = `email.${EmailStage}`;

export const EVENT_KEYS: readonly EventKey[] = EMAIL_STAGES.map((stage) => `email.${stage}` as const);

export const TEST_EVENT = 'webhook.test';
