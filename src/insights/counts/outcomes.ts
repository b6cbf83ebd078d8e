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

const isOneOf = (...stages: EmailStage[]): RawBuilder<boolean> =>
  sql<boolean>`stage in (${sql.join(stages.map((stage) => sql.lit(rankOf(stage))))})`;

/** For each outcome, an SQL condition on `stage` that is true if a recipient counts. */
export const REACHED = {
  delivered: isOneOf('delivered', 'opened', 'clicked', 'complained'),
  opened: isOneOf('opened', 'clicked'),
  clicked: isOneOf('clicked'),
  failed: isOneOf('failed'),
  bounced: isOneOf('bounced'),
  complained: isOneOf('complained'),
} as const satisfies Partial<Record<keyof Outcomes, RawBuilder<boolean>>>;
