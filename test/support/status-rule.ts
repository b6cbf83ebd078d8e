/** The rule for the status (src/model/email-status.ts) as a pure function, against which tests compare the stored status. */
import {
  EMAIL_STAGES,
  type EmailLevelStage,
  type EmailStage,
  isEmailLevel,
  rankOf,
  type TimelineType,
} from '../../src/model/email-status.ts';

/** The progress of an email: a summary of its timeline that is sufficient to compute the status. */
export interface Progress {
  /** The highest stage of queued, sending and sent that the email as a whole has reached. */
  reached: EmailLevelStage;
  /** The highest stage of each recipient from events of this recipient; `queued` for a recipient without such events. */
  recipients: readonly EmailStage[];
}

export function statusOf(progress: Progress): EmailStage {
  const ranks = progress.recipients.map((stage) => Math.max(rankOf(stage), rankOf(progress.reached)));
  const most = Math.max(...ranks);
  return EMAIL_STAGES[most > rankOf('delivered') ? most : Math.min(...ranks)] ?? 'queued';
}

/** The progress after one more event. `recipient` is the index of the recipient that the event concerns. */
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
