/** Runs the checks in a worker thread, so that loading the modules of the checks does not block the service. */
import { parentPort } from 'node:worker_threads';
import { readConfig } from '../../app/config.ts';
import type { DoctorResult } from '../system/doctor-runs.ts';
import { useDatabaseAt } from './database.ts';
import { examine } from './examine.ts';
import { reasonOf } from './finding.ts';

async function check(databaseUrl: string): Promise<DoctorResult> {
  try {
    const config = readConfig(process.env);
    return {
      checks: await useDatabaseAt(databaseUrl, (database) => examine(config, process.env, database)),
    };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

parentPort?.on('message', async (databaseUrl: string) => {
  parentPort?.postMessage(await check(databaseUrl), []);
});
