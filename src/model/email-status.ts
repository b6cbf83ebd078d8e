/**
 * The status of an email: a pure function of its timeline.
 *
 *   queued < sending < sent < delivered < opened < clicked < failed < bounced < complained
 *
 * `queued`, `sending` and `sent` apply to the whole email and advance every recipient. Events from `delivered` on apply to one recipient. A
 * recipient's stage is the highest stage that the recipient has reached. If the highest stage of all recipients is above `delivered`, it is
 * the status of the email. Otherwise the status is the lowest stage of all recipients, so that an email is `delivered` only if all
 * recipients are delivered. Stages never move back, so the status never moves back.
 */
export const EMAIL_STAGES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'failed',
  'bounced',
  'complained',
] as const;

export type EmailStage = (typeof EMAIL_STAGES)[number];

/** Stages that concern the whole email. */
export type EmailLevelStage = 'queued' | 'sending' | 'sent';

/** The events of a timeline: the stages, and deferrals, which do not change the status. */
export type TimelineType = EmailStage | 'deferred';

/** The position of a stage in `EMAIL_STAGES`: a higher stage has a higher number. */
export function rankOf(stage: EmailStage): number {
  return EMAIL_STAGES.indexOf(stage);
}

export function isEmailLevel(type: TimelineType): type is EmailLevelStage {
  return type === 'queued' || type === 'sending' || type === 'sent';
}
