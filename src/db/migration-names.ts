/**
 * Names of migrations, which a database records. A name that reached main never changes and never goes: a database that has
 * it applied would run the file again under the other name, or start under code that does not know its columns.
 */
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';

/** Files that were renamed after they had reached main, by the name that a database may have recorded. */
const RENAMED: Readonly<Record<string, string>> = {
  '0035-crlf-growth.sql': '0037-crlf-growth.sql',
  '0072-drafts-and-days.sql': '0083-drafts-and-days.sql',
};

/** The name under which this code has a migration that a database recorded. */
export function currentName(recorded: string): string {
  return RENAMED[recorded] ?? recorded;
}

/**
 * Newer code leaves names behind that sort after all of ours, and older code runs beside them (decision 36). An unknown name
 * among ours belongs to code that went another way.
 * @param applied the names that the database recorded, as `currentName` gives them
 * @param ours the names of this code
 * @throws StartupError when the database has a migration that this code cannot know
 */
export function assertKnown(applied: readonly string[], ours: readonly string[]): void {
  const newest = ours.toSorted().at(-1) ?? '';
  const unknown = applied.find((name) => name <= newest && !ours.includes(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `The database has the migration ${unknown}, which this version of Posthorn does not know. Run the version that made it, or a later one.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
}
