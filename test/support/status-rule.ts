/** The rule of the status (src/model/email-status.ts) as a pure function, against which the tests hold what the database keeps. */
import {
  EMAIL_STAGES,
  type EmailLevelStage,
  type EmailStage,
  isEmailLevel,
  rankOf,
  type TimelineType,
} from '../../src/model/email-status.ts';

/** How far an email has come: the sufficient summary of its timeline. */
export interface Progress {
  /** The highest of queued, sending, sent that the email as a whole reached. */
  reached: EmailLevelStage;
  /** Per recipient, the highest stage of its own; `queued` where there is none. */
  recipients: readonly EmailStage[];
}

export function statusOf(progress: Progress): EmailStage {
  const ranks = progress.recipients.map((stage) => Math.max(rankOf(stage), rankOf(progress.reached)));
  const most = Math.max(...ranks);
  return EMAIL_STAGES[most > rankOf('delivered') ? most : Math.min(...ranks)] ?? 'queued';
}

/** The progress after one more event. `recipient` is the index that a recipient-level event concerns. */
export function advance(progress: Progress, type: TimelineType, recipient: number | null): Progress {
  if (type === 'deferred') return progress;
  if (isEmailLevel(type)) {
    return rankOf(type) > rankOf(progress.reached) ? { ...progress, reached: type } : progress;
  }
  return {
    ...progress,
    recipients: progress.recipients.map((stage, at) =>
      at === recipient && rankOf(type) > rankOf(stage) ? type : stage,
    ),
  };
}
