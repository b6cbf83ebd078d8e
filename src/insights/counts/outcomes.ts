/** Counts of the outcomes of emails. */
import { type RawBuilder, sql } from 'kysely';
import { type EmailStage, rankOf } from '../../model/email-status.ts';
import type { TallyPart } from './tally.ts';

export interface Outcomes {
  emails: number;
  /** The number of recipients of these emails. Each count below is a part of this count. */
  recipients: number;
  /** Recipients whose server accepted the email, without a later bounce. */
  delivered: number;
  opened: number;
  /** Recipients who clicked are also counted as opened. */
  clicked: number;
  failed: number;
  bounced: number;
  complained: number;
}

/** @param part undefined if there were no emails */
export function outcomesOf(part: TallyPart | undefined): Outcomes {
  const { emails = 0, recipients = 0, delivered = 0, clicked = 0, failed = 0, complained = 0 } = part ?? {};
  return {
    emails,
    recipients,
    delivered,
    clicked,
    failed,
    complained,
    opened: (part?.openedByPeople ?? 0) + (part?.openedByMachines ?? 0),
    bounced: (part?.bouncedHard ?? 0) + (part?.bouncedSoft ?? 0),
  };
}

/** The stages of the recipients that count for an outcome. */
export const STAGES_OF = {
  delivered: ['delivered', 'opened', 'clicked', 'complained'],
  opened: ['opened', 'clicked'],
  clicked: ['clicked'],
  failed: ['failed'],
  bounced: ['bounced'],
  complained: ['complained'],
} as const satisfies Partial<Record<keyof Outcomes, readonly EmailStage[]>>;

const reached = (stages: readonly EmailStage[]): RawBuilder<boolean> =>
  sql<boolean>`stage in (${ranksOf(stages)})`;

/** The stages as they are stored, for an SQL list. */
export const ranksOf = (stages: readonly EmailStage[]): RawBuilder<unknown> =>
  sql.join(stages.map((stage) => sql.lit(rankOf(stage))));

/** For each outcome, an SQL condition on `stage` that is true if a recipient counts. */
export const REACHED = Object.fromEntries(
  Object.entries(STAGES_OF).map(([name, stages]) => [name, reached(stages)]),
) as Record<keyof typeof STAGES_OF, RawBuilder<boolean>>;

/** Condition on an event of a recipient: a hard bounce. */
export const IS_HARD = sql<boolean>`(type = 'bounced' and detail ->> 'type' = 'hard')`;
/** Condition on an event of a recipient: an open or a click with no sign of a machine. */
export const IS_PERSON = sql<boolean>`(type in ('opened', 'clicked') and coalesce(detail ->> 'is_machine', 'false') <> 'true')`;
