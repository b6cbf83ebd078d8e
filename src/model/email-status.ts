/**
 * The status of an email: a pure function of its timeline.
 *
 *   queued < sending < sent < delivered < opened < clicked < failed < bounced < complained
 *
 * `queued`, `sending` and `sent` apply to the whole email and advance every recipient; events from `delivered` on apply to
 * one recipient. A recipient's stage is the highest that it has reached. The email's status is the worst of complained,
 * bounced and failed if any recipient has such a stage. Otherwise it is clicked or opened if any recipient has. It is `delivered`
 * only if all recipients are, and otherwise the lowest stage, at most `sent`. In rank order, the status is the maximum of the stages
 * if that is above `delivered`, and otherwise the minimum. Both only grow as events arrive, so the status never moves back.
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
