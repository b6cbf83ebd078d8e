/** What will stop mail or lose data soon, for the line on every page of an operator. `posthorn doctor` checks far more. */
import { statfs } from 'node:fs/promises';
import type { HealthCause } from '../../contract/dashboard/health.ts';
import type { SystemCertificates } from '../../contract/dashboard/system.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { dateText } from '../../model/formats.ts';
import { readCertificateFile, readObtainedCertificates } from './certificates.ts';

/** The limits of docs/operate/alerts.yaml. */
const LEAST_FREE = 0.1;
const CERTIFICATE_MS = 7 * DAY_MS;
const BACKUP_MS = 2 * DAY_MS;
/** The maximum number of certificates that are named. */
const NAMED = 3;

export interface ConcernOptions {
  host: string;
  dataDir: string;
  certPath: string | null;
  /** The name of the setting with the time of the last backup. */
  lastBackup: string;
}

/**
 * @param read runs statements; files are read outside of it, because a file system may hang
 * @returns the most urgent ones of each kind
 */
export async function readConcerns(
  read: <T>(work: (database: Database) => Promise<T>) => Promise<T>,
  { host, dataDir, certPath, lastBackup }: ConcernOptions,
): Promise<HealthCause[]> {
  const [disk, ofFile, stored] = await Promise.all([
    diskConcerns(host, dataDir),
    readCertificateFile(certPath),
    read(async (database) => ({
      certificates: await readObtainedCertificates(database),
      backup: await backupConcerns(database, lastBackup),
    })),
  ]);
  return [...disk, ...certificateConcerns([...ofFile, ...stored.certificates]), ...stored.backup];
}

async function diskConcerns(host: string, dataDir: string): Promise<HealthCause[]> {
  // A machine without the folder stores no mail.
  const disk = await statfs(dataDir).catch(() => null);
  if (disk === null || disk.bavail >= disk.blocks * LEAST_FREE) return [];
  const free = disk.bavail / disk.blocks;
  return [{ kind: 'disk', text: `Only ${Math.floor(free * 100)} % of the disk of ${host} is free.` }];
}

function certificateConcerns(certificates: SystemCertificates['data']): HealthCause[] {
  const nowMs = clock.nowMs();
  return certificates
    .flatMap(({ names, expires_at, is_wanted }) =>
      is_wanted && expires_at !== null ? [{ name: names[0], expiresMs: Date.parse(expires_at) }] : [],
    )
    .filter(({ expiresMs }) => expiresMs <= nowMs + CERTIFICATE_MS)
    .toSorted((one, other) => one.expiresMs - other.expiresMs)
    .slice(0, NAMED)
    .map(({ name = 'the mail ports', expiresMs }): HealthCause => {
      const verb = expiresMs < nowMs ? 'expired' : 'expires';
      return {
        kind: 'certificate',
        text: `The certificate of ${name} ${verb} on ${dateText(expiresMs)}.`,
      };
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
  return [{ kind: 'backup', text: `The last backup is from ${dateText(Date.parse(row.value))}.` }];
}
