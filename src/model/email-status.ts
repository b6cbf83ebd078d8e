/**
 * The status of an email: a pure function of its timeline.
 *
 *   queued < sending < sent < delivered < opened < clicked < failed < bounced < complained
 *
 * `queued`, `sending` and `sent` concern the whole email and lift every recipient; from `delivered` on an event
 * concerns one recipient. Each recipient stands at the highest stage that it reached. For the email the worst of
 * complained, bounced, failed wins; else clicked, opened if any; `delivered` only when every recipient is; otherwise
 * the least advanced, at most `sent`. With the stages in rank order that is: the maximum where it is above
 * `delivered`, else the minimum. Both only grow as events arrive, so the status never moves down.
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

/** What a timeline holds: the stages, and deferrals, which change no status. */
export type TimelineType = EmailStage | 'deferred';

/** The place of a stage in the order above. */
export function rankOf(stage: EmailStage): number {
  return EMAIL_STAGES.indexOf(stage);
}

export function isEmailLevel(type: TimelineType): type is EmailLevelStage {
  return type === 'queued' || type === 'sending' || type === 'sent';
}
