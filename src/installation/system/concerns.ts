/** What will stop mail or lose data soon, for the line on every page of an operator. `posthorn doctor` checks far more. */
import { statfs } from 'node:fs/promises';
import type { HealthCause } from '../../contract/dashboard/health.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { readCertificates } from './certificates.ts';

/** The limits of docs/operate/alerts.yaml. */
const LEAST_FREE = 0.1;
const CERTIFICATE_MS = 7 * DAY_MS;
const BACKUP_MS = 2 * DAY_MS;

const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

export interface ConcernOptions {
  host: string;
  dataDir: string;
  certPath: string | null;
  /** The name of the setting with the time of the last backup. */
  lastBackup: string;
}

export async function readConcerns(database: Database, options: ConcernOptions): Promise<HealthCause[]> {
  return [
    ...(await diskConcerns(options)),
    ...(await certificateConcerns(database, options.certPath)),
    ...(await backupConcerns(database, options.lastBackup)),
  ];
}

async function diskConcerns({ host, dataDir }: ConcernOptions): Promise<HealthCause[]> {
  // A machine without the folder stores no mail.
  const disk = await statfs(dataDir).catch(() => null);
  if (disk === null || disk.bavail >= disk.blocks * LEAST_FREE) return [];
  const free = disk.bavail / disk.blocks;
  return [{ kind: 'disk', text: `Only ${Math.floor(free * 100)} % of the disk of ${host} is free.` }];
}

async function certificateConcerns(database: Database, certPath: string | null): Promise<HealthCause[]> {
  const { data } = await readCertificates(database, certPath);
  const nowMs = clock.nowMs();
  return data.flatMap(({ names, expires_at, is_wanted }): HealthCause[] => {
    if (!is_wanted || expires_at === null) return [];
    const expiresMs = Date.parse(expires_at);
    if (expiresMs > nowMs + CERTIFICATE_MS) return [];
    const verb = expiresMs < nowMs ? 'expired' : 'expires';
    return [
      {
        kind: 'certificate',
        text: `The certificate of ${names[0] ?? 'the mail ports'} ${verb} on ${DATE.format(expiresMs)}.`,
      },
    ];
  });
}

async function backupConcerns(database: Database, lastBackup: string): Promise<HealthCause[]> {
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', lastBackup)
    .executeTakeFirst();
  // An installation that has never been backed up by "posthorn backup" may be backed up by other means.
  if (row === undefined || Date.parse(row.value) > clock.nowMs() - BACKUP_MS) return [];
  return [{ kind: 'backup', text: `The last backup is from ${DATE.format(Date.parse(row.value))}.` }];
}
