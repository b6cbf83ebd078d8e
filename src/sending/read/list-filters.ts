/**
 * The filters for the list of emails. Each filter works in two ways: an index returns the matching emails, newest first, and a condition
 * tests whether one email matches.
 */
import { type RawBuilder, sql } from 'kysely';
import type { ListEmailsQuery } from '../../contract/emails.ts';
import { validationError } from '../../model/app-error.ts';
import type { LogStatus } from '../../model/email-query.ts';
import { rankOf } from '../../model/email-status.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { IS_UNSENT } from '../events/stored-status.ts';

export interface Filter {
  /** The table of the index. */
  table: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** The condition on a row of the table. One index contains the project, the compared column and the id. */
  where: RawBuilder<boolean>;
  /** A further condition on a row of the table, which the index cannot test. */
  rest?: RawBuilder<boolean>;
  /** Instead of `where`: alternative conditions, each of which the index can test. At most one of them is true for an email. */
  anyOf?: readonly RawBuilder<boolean>[];
  /** Set if maybe few of the rows that meet `where` meet `rest`, as in a long queue whose emails are `queued`, except a few. */
  isLoose?: true;
  /**
   * Set if no index tests `where`, so that the filter reads all rows of a range. `emails`: each email is tested by `check`. `own`: the table
   * may have several matching rows for an email, and reading them is faster than testing each email.
   */
  scans?: 'emails' | 'own';
  /** The condition on a row `e` of `emails`. */
  check: RawBuilder<boolean>;
}

export const EMAILS = { table: sql`emails e`, id: sql`e.id` };

export const EVERYTHING: Filter = { ...EMAILS, where: sql`true`, check: sql`true` };

/** @throws AppError validation-failed for an invalid address */
export function filtersOf({
  status,
  from,
  to,
  tag,
}: Pick<ListEmailsQuery, 'from' | 'to' | 'tag'> & { status?: LogStatus }): Filter[] {
  const filters: Filter[] = [];
  if (status !== undefined) {
    filters.push(statusFilter(status));
  }
  if (from !== undefined) {
    const has = sql<boolean>`e.sender_address = ${addressOf(from, 'from')}`;
    filters.push({ ...EMAILS, where: has, check: has });
  }
  if (to !== undefined) {
    const where = sql<boolean>`r.address = ${addressOf(to, 'to')}`;
    const check = sql<boolean>`exists (select from email_recipients r
      where r.project_id = e.project_id and r.email_id = e.id and ${where} offset 0)`;
    filters.push({ table: sql`email_recipients r`, id: sql`r.email_id`, where, check });
  }
  if (tag !== undefined) {
    const where = sql<boolean>`t.tag = ${tag}`;
    const check = sql<boolean>`e.tags @> array[${tag}]::text[]`;
    filters.push({ table: sql`email_tags t`, id: sql`t.email_id`, where, check });
  }
  return filters;
}

/** The condition on a row `e` of `emails`. */
export function hasStatus(status: LogStatus): RawBuilder<boolean> {
  if (status === 'scheduled') return sql<boolean>`(${hasStatus('queued')} and e.scheduled_at > now())`;
  const rank = sql.lit(rankOf(status));
  return isUnsent(status)
    ? sql<boolean>`(${IS_UNSENT} and e.reached = ${rank})`
    : sql<boolean>`(e.status = ${rank} and not ${IS_UNSENT})`;
}

export function statusFilter(status: LogStatus): Filter {
  const check = hasStatus(status);
  if (!isUnsent(status))
    return {
      ...EMAILS,
      where: sql`e.status = ${sql.lit(rankOf(status))}`,
      rest: sql`not ${IS_UNSENT}`,
      check,
    };
  return {
    table: sql`queue q`,
    id: sql`q.email_id`,
    // All recipients of an unsent email are in the queue. The first one represents the email.
    where: sql`q.recipient_index = 0`,
    rest: sql`q.stream <> 'mailbox' and exists (
      select from emails e where e.project_id = q.project_id and e.id = q.email_id and ${check} offset 0)`,
    isLoose: true,
    check,
  };
}

function isUnsent(status: LogStatus): status is 'queued' | 'sending' | 'scheduled' {
  return status === 'queued' || status === 'sending' || status === 'scheduled';
}

/** Addresses are normalized before they are compared. */
function addressOf(text: string, field: 'from' | 'to'): string {
  const mailbox = parseMailbox(text);
  if ('error' in mailbox) throw validationError({ [field]: mailbox.error });
  return mailbox.address;
}
