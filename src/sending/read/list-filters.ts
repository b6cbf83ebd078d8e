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

export interface Filter {
  /** The table of the index. */
  table: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  /** The condition on a row of the table. One index contains the project, the compared column and the id. */
  where: RawBuilder<boolean>;
  /** The condition on a row `e` of `emails`. */
  check: RawBuilder<boolean>;
}

const EMAILS = { table: sql`emails e`, id: sql`e.id` };

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
    const has = hasStatus(status);
    filters.push({ ...EMAILS, where: has, check: has });
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
  if (status === 'scheduled')
    return sql<boolean>`e.status = ${rankOf('queued')}::int2 and e.scheduled_at > now()`;
  return sql<boolean>`e.status = ${rankOf(status)}::int2`;
}

/** Addresses are normalized before they are compared. */
function addressOf(text: string, field: 'from' | 'to'): string {
  const mailbox = parseMailbox(text);
  if ('error' in mailbox) throw validationError({ [field]: mailbox.error });
  return mailbox.address;
}
