import { hostname } from 'node:os';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { LetterReader } from '../store/facts/letter-reader.ts';
import { DoctorRuns } from '../system/doctor-runs.ts';
import { System } from '../system/system.ts';
import type { Config } from './config.ts';

const DOCTOR = new URL('../doctor/thread.ts', import.meta.url);

export interface SystemOptions {
  database: Database;
  databaseUrl: string;
  /** See `DashboardServicesOptions`. */
  reads: FairReads;
  config: Pick<Config, 'dataDir' | 'blobs' | 'tls' | 'logLevel'>;
}

/** @returns with what is to be closed */
export function createSystem(
  stack: AsyncDisposableStack,
  { database, databaseUrl, reads, config }: SystemOptions,
): System {
  const { dataDir, blobs, tls, logLevel } = config;
  const host = hostname();
  return new System({
    database,
    reads,
    logLevel,
    doctor: stack.use(new DoctorRuns(DOCTOR, databaseUrl, host)),
    storage: { host, dataDir, blobs: blobs === null ? 'files' : 'bucket' },
    certPath: tls?.certPath ?? null,
    letters: stack.use(new LetterReader()),
  });
}
