/** Lists the defaults that upgrades changed, and whether they affect this installation. */
import type { Config, EnvironmentVariables } from '../../app/config.ts';
import { CHANGED_DEFAULTS, type ChangedDefault } from './changed-defaults.ts';
import { PROBE_DOMAIN } from './examine.ts';
import { reasonOf } from './finding.ts';
import { unknown } from './touched.ts';
import { realWorld, type World } from './world.ts';

/** A line of `doctor --upgrade`. */
export interface UpgradeEntry extends Omit<ChangedDefault, 'touches'> {
  /** Whether the change affects this installation. Null if unknown. */
  readonly is_touched: boolean | null;
  /** The reason, as sentences. */
  readonly here: string;
}

/** Returns every changed default, newest first. Changes nothing. */
export async function listUpgrade(
  config: Config,
  env: EnvironmentVariables,
  database: World['database'],
): Promise<UpgradeEntry[]> {
  const ending = new AbortController();
  const world = realWorld({ config, env, probeDomain: PROBE_DOMAIN, database, signal: ending.signal });
  try {
    return await Promise.all(CHANGED_DEFAULTS.map((changed) => describe(changed, world)));
  } finally {
    ending.abort();
  }
}

export async function describe({ touches, ...changed }: ChangedDefault, world: World): Promise<UpgradeEntry> {
  // A database that this version has not migrated yet may lack a table.
  const { isTouched, because } = await Promise.resolve()
    .then(() => touches(world))
    .catch((error: unknown) => unknown(`The database could not be checked: ${reasonOf(error)}.`));
  return { ...changed, is_touched: isTouched, here: because };
}
