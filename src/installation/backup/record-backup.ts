/** Stores the time of the last complete backup in a row of `settings`, for /metrics. */
import { DatabaseClient } from '../../db/database-client.ts';

/** The name of the row. Its value is an ISO 8601 time in UTC with milliseconds. */
export const LAST_BACKUP = 'last_backup';

/**
 * Records a complete backup. An older time never replaces a newer time.
 * @param madeAt the time of the backup, from `BackedUp.madeAt`
 * @throws Error if the database is read-only, such as a standby
 */
export async function recordBackup(url: string, madeAt: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, application_name: 'posthorn backup' });
  client.on('error', () => {});
  try {
    await client.connect();
    // Times in this form can be compared as text.
    await client.query(
      `insert into settings (name, value) values ($1, $2)
      on conflict (name) do update set value = greatest(settings.value collate "C", excluded.value)`,
      [LAST_BACKUP, madeAt],
    );
  } finally {
    await client.end().catch(() => {});
  }
}
