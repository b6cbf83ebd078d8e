/** The forwarding target of a mailbox (docs/rules.md, Forwarding). */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { changeFilters } from '../rules/change-filters.ts';
import { targetFrom } from '../rules/rule-words.ts';

export const FORWARDING = columnsOf({
  /** The forwarding address in normal form. */
  target: 'text',
  keepsCopy: 'bool',
});

export type Forwarding = RowOf<typeof FORWARDING>;

/** A forwarding target of the mailbox or of a rule, to which the last delivery failed. */
const FAILING_TARGET = columnsOf({
  target: 'text',
  /** The number of consecutive failures. */
  failures: 'int4',
  since: 'timestamptz',
  /** When forwarding to the address was turned off. */
  offSince: 'timestamptz?',
  /** The error from the last failed delivery. */
  reply: 'text',
});

type FailingTarget = RowOf<typeof FAILING_TARGET>;

/** Sets the target and resets its failures. @throws AppError validation-failed, not-found */
export async function setForwarding(
  database: Database,
  mailbox: MailboxKey,
  address: string,
  keepsCopy: boolean,
): Promise<Forwarding> {
  const target = targetFrom(address, 'to');
  const { projectId, mailboxId } = mailbox;
  await changeFilters(
    database,
    mailbox,
    { action: 'mailbox.set-forwarding', after: { target, keeps_copy: keepsCopy } },
    async (tx) => {
      await sql`
      insert into mailbox_forwards (project_id, mailbox_id, target, keeps_copy, set_at)
      values (${projectId}, ${mailboxId}, ${target}, ${keepsCopy}, ${clock.now()})
      on conflict (project_id, mailbox_id) do update set target = excluded.target, keeps_copy = excluded.keeps_copy,
        set_at = excluded.set_at`.execute(tx);
      await sql`
      delete from forward_failures
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and target = ${target}`.execute(tx);
    },
  );
  return { target, keepsCopy };
}

/**
 * @returns false if the mailbox did not forward
 * @throws AppError not-found
 */
export async function endForwarding(database: Database, mailbox: MailboxKey): Promise<boolean> {
  return changeFilters(database, mailbox, { action: 'mailbox.end-forwarding' }, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from mailbox_forwards
      where project_id = ${mailbox.projectId} and mailbox_id = ${mailbox.mailboxId}`.execute(tx);
    return (numAffectedRows ?? 0n) > 0n;
  });
}

export async function readForwarding(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<{ forwarding: Forwarding | null; failing: FailingTarget[] }> {
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  const { rows } =
    await FORWARDING.sql`select target, keeps_copy from mailbox_forwards where ${isOf}`.execute(database);
  const { rows: failing } = await FAILING_TARGET.sql`
    select target, failures, since, off_since, reply from forward_failures where ${isOf} order by target`.execute(
    database,
  );
  return { forwarding: rows[0] ?? null, failing };
}
