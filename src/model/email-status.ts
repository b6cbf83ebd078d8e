/**
 * The status of an email: a pure function of its timeline.
 *
 *   queued < sending < sent < delivered < opened < clicked < failed < bounced < complained
 *
 * `queued`, `sending` and `sent` apply to the whole email and advance every recipient; events from `delivered` on apply to
 * one recipient. A recipient's stage is the highest that it has reached. The email's status is the worst of complained,
 * bounced and failed if any recipient has one; else clicked or opened if any has; `delivered` only if all recipients are;
 * otherwise the lowest stage, at most `sent`. In rank order this is the maximum if it is above `delivered`, else the
 * minimum. Both only grow as events arrive, so the status never moves back.
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

/** The rank of a stage in the order above. */
export function rankOf(stage: EmailStage): number {
  return EMAIL_STAGES.indexOf(stage);
}

export function isEmailLevel(type: TimelineType): type is EmailLevelStage {
  return type === 'queued' || type === 'sending' || type === 'sent';
}
