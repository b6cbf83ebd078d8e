/**
 * The usual status: the status that most emails have after their hand-over to the provider, so that it can be stored when they are accepted
 * (src/sending/events/stored-status.ts). It is a row in `settings`, which is missing while older code is running.
 */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { rankOf } from '../model/email-status.ts';

/** The name of the setting. */
export const USUAL_STATUS_SETTING = 'usual_status';

/** SQL value: the rank of the usual status. Null while older code is running. */
export const USUAL_STATUS = sql<number | null>`(
  select value::int2 from settings where name = ${sql.lit(USUAL_STATUS_SETTING)})`;

/** The migration that runs once no older code is running, which would show an unsent email with its stored status. */
const MIGRATION = '0104-usual-status.sql';

/**
 * Sets the usual status of emails that are accepted from now on. Does nothing while older code is running.
 * @param provider the provider to which emails are handed over, as in `POSTHORN_PROVIDER`
 * @param known the value of the setting; undefined if it is missing
 */
export async function setUsualStatus(
  database: Database,
  provider: string,
  known: string | undefined,
): Promise<void> {
  // A smart host and SES report a delivery later, if at all.
  const usual = provider === 'smtp' || provider === 'ses' ? 'sent' : 'delivered';
  const value = String(rankOf(usual));
  if (known === value) return;
  await sql`
    insert into settings (name, value) select ${USUAL_STATUS_SETTING}, ${value}
    where exists (select from schema_changes where name = ${MIGRATION} and applied_at is not null)
    on conflict (name) do update set value = excluded.value`.execute(database);
}
