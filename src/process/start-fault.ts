/** What an error of the database means for a start: whether to wait, or to end and with which exit code. */
import { isDatabaseAway, sqlState } from '../db/database.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';

/** invalid_authorization_specification, invalid_password: another user or password is needed (PostgreSQL, appendix A). */
const WRONG_CREDENTIALS = new Set(['28000', '28P01']);
/** invalid_catalog_name: the server is there, and its database may be made, or restored, in a moment. */
const NO_DATABASE = '3D000';

/** Whether the same start may work later without a change of the configuration. */
export function canBeWaitedFor(error: unknown): boolean {
  return isDatabaseAway(error) || sqlState(error) === NO_DATABASE;
}

/**
 * The error in words for the operator; an error that is not of the database as it is: it is a bug and keeps its stack.
 * @param isEmbedded whether it is the database of the data folder
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

/** An error of several connection attempts has a code and no message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message === '' ? String(code) : message;
}
