import type { Health, HealthCause } from '../../contract/dashboard/health.ts';
import type { DueMail } from '../../queue/due-rows.ts';

/** The facts about the installation. They are the same for every project. */
export interface SendingFacts {
  pausedSince: Date | null;
  /** The time since which no process has had the right provider. Null: some process has. */
  notSendingSince: Date | null;
  /** The number of living workers. Null: it cannot be judged yet. */
  workers: number | null;
  /** The newest heartbeat of a worker. Null: not known. */
  lastHeartbeat: Date | null;
}

interface Judgement {
  state: Health['state'];
  since: Date | null;
  cause: HealthCause | null;
}

const CAUSES = {
  paused: 'Sending is paused.',
  provider: 'POSTHORN_PROVIDER is not set or does not match this installation.',
  workers: 'No worker is running.',
} as const;

function judge(facts: SendingFacts, { delayedSince }: DueMail): Judgement {
  const { pausedSince, notSendingSince, workers, lastHeartbeat } = facts;
  const cause = (kind: keyof typeof CAUSES) => ({ kind, text: CAUSES[kind] });
  if (pausedSince !== null) return { state: 'paused', since: pausedSince, cause: cause('paused') };
  if (notSendingSince !== null) return { state: 'stopped', since: notSendingSince, cause: cause('provider') };
  if (workers === null) return { state: 'unknown', since: null, cause: null };
  if (workers === 0) return { state: 'stopped', since: lastHeartbeat, cause: cause('workers') };
  if (delayedSince !== null) return { state: 'delayed', since: delayedSince, cause: null };
  return { state: 'normal', since: null, cause: null };
}

/**
 * Whether the mail of a project is sent. Without `concerns`, which are for operators, the result says nothing about machines or about the
 * mail of other projects.
 * @param concerns what will stop mail or lose data soon; null: the reader is not an operator
 */
export function verdictOf(
  facts: SendingFacts,
  mail: DueMail,
  concerns: readonly HealthCause[] | null,
): Health {
  const { state, since, cause } = judge(facts, mail);
  return {
    state,
    since: since?.toISOString() ?? null,
    waiting: { emails: mail.emails, is_more: mail.isMore },
    causes: concerns === null ? [] : [...(cause === null ? [] : [cause]), ...concerns],
  };
}
