/** Decides whether a start waits after a database error or exits, and with which exit code. */
import { isDatabaseAway, sqlState } from '../db/database.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';

/** invalid_authorization_specification, invalid_password: a different user or password is needed (PostgreSQL, appendix A). */
const WRONG_CREDENTIALS = new Set(['28000', '28P01']);
/** invalid_catalog_name: the server is running, and the database may be about to be created or restored. */
const NO_DATABASE = '3D000';

/** Whether the start may succeed later without a configuration change. */
export function canBeWaitedFor(error: unknown): boolean {
  return isDatabaseAway(error) || sqlState(error) === NO_DATABASE;
}

/**
 * Turns a database error into an error for the operator. Returns any other error unchanged, because it is a bug, and its stack is needed.
 * @param isEmbedded whether the database is the embedded PostgreSQL
 */
export function databaseFault(error: unknown, isEmbedded: boolean): unknown {
  const state = sqlState(error);
  if (!isDatabaseAway(error) && state === null) return error;
  const which = isEmbedded ? 'The embedded database' : 'The database of POSTHORN_DATABASE_URL';
  const why = `${which} cannot be used: ${reasonOf(error)}`;
  if (state === null || !WRONG_CREDENTIALS.has(state)) return new StartupError(why);
  return new StartupError(`${why}. Set the right user and password in the URL.`, {
    exitCode: BAD_CONFIGURATION,
  });
}

/** The reason for the error, in words. An AggregateError of failed connection attempts has no message, so its first error is used. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message === '' ? String(code) : message;
}
