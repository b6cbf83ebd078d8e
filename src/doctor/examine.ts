import type { Config, Environment } from '../app/config.ts';
import { type CheckResult, checksOf, runChecks } from './checks.ts';
import { realWorld, type World } from './world.ts';

/** A domain that is not ours, whose mail hosts are dialled to see whether port 25 is open. */
export const PROBE_DOMAIN = 'gmail.com';

/** Looks at the set-up of this machine. */
export async function examine(
  config: Config,
  env: Environment,
  database: World['database'],
  probeDomain = PROBE_DOMAIN,
): Promise<CheckResult[]> {
  const ending = new AbortController();
  try {
    return await runChecks(
      checksOf(realWorld({ config, env, probeDomain, database, signal: ending.signal })),
    );
  } finally {
    ending.abort();
  }
}
