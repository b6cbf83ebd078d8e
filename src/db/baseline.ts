/**
 * The migration that creates the schema, and the rules for older databases. Code before the baseline was never released. It had 87
 * migrations, and a database that ran all of them is adopted (docs/decisions/0123-baseline.md).
 */
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';

export const BASELINE = '0001-baseline.sql';
/** The last commit that runs the migrations that the baseline replaces. */
export const LAST_BEFORE = '8af53e03';

/** A row of `schema_changes`. */
interface Recorded {
  name: string;
  isDone: boolean;
}

const REPLACED = { newest: '0103-keys-by-project.sql', count: 87 };

/** Whether the database was created by code before the baseline. */
export function isBeforeBaseline(changes: readonly Recorded[]): boolean {
  return changes.length > 0 && !changes.some(({ name }) => name === BASELINE);
}

/** Whether a database from before the baseline ran all migrations that the baseline replaces, and no others. */
export function isAdoptable(changes: readonly Recorded[]): boolean {
  return changes.every(({ isDone }) => isDone) && isReplaced(changes.map(({ name }) => name));
}

/** The names of migrations that have run, with the baseline in place of the migrations that it replaces. */
export function withBaseline(names: readonly string[]): readonly string[] {
  return isReplaced(names) ? [BASELINE] : names;
}

/** The error for a database that a specific older commit must migrate before this version can start. */
export function isTooOld(): StartupError {
  return new StartupError(
    `The database was made by code before 0.2.0, the first release. Start commit ${LAST_BEFORE} of Posthorn on it first, then this version.`,
    { exitCode: BAD_CONFIGURATION },
  );
}

function isReplaced(names: readonly string[]): boolean {
  return names.length === REPLACED.count && names.toSorted().at(-1) === REPLACED.newest;
}
