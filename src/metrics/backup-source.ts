/** The time of the last successful backup. */
import { LAST_BACKUP } from '../installation/backup/record-backup.ts';
import type { Database } from '../db/database.ts';
import { instanceGauge } from '../observe/define.ts';
import { type FigureSource, withdrawAll } from './figures.ts';

const figures = {
  lastBackup: instanceGauge(
    'posthorn_backup_last_success_timestamp_seconds',
    'Time of the data in the last successful "posthorn backup", in seconds since 1970.',
  ),
};

/** Before the first backup, the metric has no series, because the value 0 would look like a backup in 1970. */
export const backupSource: FigureSource = {
  async read(database: Database): Promise<void> {
    const row = await database
      .selectFrom('settings')
      .select('value')
      .where('name', '=', LAST_BACKUP)
      .executeTakeFirst();
    if (row === undefined) figures.lastBackup.withdraw();
    else figures.lastBackup.set({}, Date.parse(row.value) / 1_000);
  },
  withdraw: () => withdrawAll(figures),
};
