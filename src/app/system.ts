import { hostname } from 'node:os';
import { MessageTextReader } from '../store/facts/message-text-reader.ts';
import { LAST_BACKUP } from '../installation/backup/record-backup.ts';
import { DoctorRuns } from '../installation/system/doctor-runs.ts';
import { System } from '../installation/system/system.ts';
import type { BaseCore } from './base-core.ts';

const DOCTOR = new URL('../installation/doctor/thread.ts', import.meta.url);

/** Builds the services of the page System, for operators. The core closes the services. */
export function createSystem(core: BaseCore): System {
  const { database, databaseUrl, stack } = core;
  const { dataDir, blobs, tls, logLevel } = core.config;
  const host = hostname();
  return new System({
    database,
    reads: core.reads('dashboard'),
    logLevel,
    doctor: stack.use(new DoctorRuns(DOCTOR, databaseUrl, host)),
    storage: { host, dataDir, blobs: blobs === null ? 'files' : 'bucket' },
    certPath: tls?.certPath ?? null,
    lastBackup: LAST_BACKUP,
    messageTexts: stack.use(new MessageTextReader()),
  });
}
