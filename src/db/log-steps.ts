import type { Logger } from 'pino';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { MigrationStep } from './migrate.ts';

/** Returns a function that logs the steps of migrations. */
export function logSteps(logger: Pick<Logger, 'info' | 'warn'>): (step: MigrationStep) => void {
  return ({ kind, ...fields }) => {
    if (kind === 'waiting') logger.info(LOG_MESSAGES.migrationQueued);
    else if (kind === 'started') logger.info(fields, LOG_MESSAGES.migrationBegins);
    else if (kind === 'done') logger.info(fields, LOG_MESSAGES.migrationDone);
    else logger.warn(fields, LOG_MESSAGES.migrationAgain);
  };
}
