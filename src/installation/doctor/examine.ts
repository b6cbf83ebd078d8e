import type { Config, EnvironmentVariables } from '../../app/config.ts';
import { type DoctorCheckResult, checksOf, runChecks } from './checks.ts';
import { realWorld, type World } from './world.ts';

/** A third party's domain. Its mail hosts are contacted to check whether outgoing port 25 is open. */
export const PROBE_DOMAIN = 'gmail.com';

/** Runs all checks on the setup of this machine. */
export async function examine(
  config: Config,
  env: EnvironmentVariables,
  database: World['database'],
  probeDomain = PROBE_DOMAIN,
): Promise<DoctorCheckResult[]> {
  const ending = new AbortController();
  try {
    return await runChecks(
      checksOf(realWorld({ config, env, probeDomain, database, signal: ending.signal })),
    );
  } finally {
    ending.abort();
  }
}
