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

const RANKS: Readonly<Record<EmailStage, number>> = {
  queued: 0,
  sending: 1,
  sent: 2,
  delivered: 3,
  opened: 4,
  clicked: 5,
  failed: 6,
  bounced: 7,
  complained: 8,
};

export function rankOf(stage: EmailStage): number {
  return RANKS[stage];
}

export function isEmailLevel(type: TimelineType): type is EmailLevelStage {
  return type === 'queued' || type === 'sending' || type === 'sent';
}

/** How far an email has come: the sufficient summary of its timeline. */
export interface Progress {
  /** The highest of queued, sending, sent that the email as a whole reached. */
  reached: EmailLevelStage;
  /** Per recipient, the highest stage of its own; `queued` where there is none. */
  recipients: readonly EmailStage[];
}

export function statusOf(progress: Progress): EmailStage {
  let least = RANKS.complained;
  let most = 0;
  for (const stage of progress.recipients) {
    const rank = Math.max(RANKS[stage], RANKS[progress.reached]);
    least = Math.min(least, rank);
    most = Math.max(most, rank);
  }
  return EMAIL_STAGES[most > RANKS.delivered ? most : least] ?? 'queued';
}

/** The progress after one more event. `recipient` is the index that a recipient-level event concerns. */
export function advance(progress: Progress, type: TimelineType, recipient: number | null): Progress {
  if (type === 'deferred') return progress;
  if (isEmailLevel(type)) {
    return RANKS[type] > RANKS[progress.reached] ? { ...progress, reached: type } : progress;
  }
  return {
    ...progress,
    recipients: progress.recipients.map((stage, at) =>
      at === recipient && RANKS[type] > RANKS[stage] ? type : stage,
    ),
  };
}
