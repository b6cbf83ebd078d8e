/** When the last good backup was made, for /metrics: a row in `settings`. */
import { DatabaseClient } from '../../db/database-client.ts';

/** The row's name. Its value is an ISO 8601 time in UTC with milliseconds. */
export const LAST_BACKUP = 'last_backup';

/**
 * Records a backup that is complete. An older one never replaces a newer one.
 * @param madeAt the moment that the backup shows, as `BackedUp.madeAt`
 * @throws Error when the database takes no writes, as a standby
 */
export async function recordBackup(url: string, madeAt: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, application_name: 'posthorn backup' });
  client.on('error', () => {});
  try {
    await client.connect();
    // Times in this form sort as text.
    await client.query(
      `insert into settings (name, value) values ($1, $2)
      on conflict (name) do update set value = greatest(settings.value collate "C", excluded.value)`,
      [LAST_BACKUP, madeAt],
    );
  } finally {
    await client.end().catch(() => {});
  }
}
