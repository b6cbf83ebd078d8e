/** Counts of the outcomes of emails. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { type EmailStage, rankOf } from '../../model/email-status.ts';

export const OUTCOMES = columnsOf({
  emails: 'int4',
  /** The number of recipients of these emails. Each count below is a part of this count. */
  recipients: 'int4',
  /** Recipients whose server accepted the email, without a later bounce. */
  delivered: 'int4',
  opened: 'int4',
  /** Recipients who clicked are also counted as opened. */
  clicked: 'int4',
  failed: 'int4',
  bounced: 'int4',
  complained: 'int4',
});

export type Outcomes = RowOf<typeof OUTCOMES>;

const NO_OUTCOMES: Outcomes = {
  emails: 0,
  recipients: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  failed: 0,
  bounced: 0,
  complained: 0,
};

export function sum(all: readonly Outcomes[]): Outcomes {
  const total = { ...NO_OUTCOMES };
  for (const each of all)
    for (const name of Object.keys(total) as (keyof Outcomes)[]) total[name] += each[name];
  return total;
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

/** SQL for the columns of `OUTCOMES`. The rows must have the columns `id` and `stage`, and there must be one row for each recipient. */
export const OUTCOME_COLUMNS = sql`
  count(distinct id)::int as emails, count(*)::int as recipients, ${sql.join(
    Object.entries(REACHED).map(
      ([name, reached]) => sql`(count(*) filter (where ${reached}))::int as ${sql.ref(name)}`,
    ),
  )}`;
