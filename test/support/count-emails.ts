import { pino } from 'pino';
import type { Database } from '../../src/db/database.ts';
import { EmailCounter } from '../../src/insights/counts/email-counter.ts';

/** Counts the emails of all hours that are due, as the worker does. */
export async function countEmails(database: Database, keepDays: number | null = null): Promise<void> {
  await using counter = new EmailCounter({
    database,
    keepDays,
    logger: pino({ enabled: false }),
    timings: { rest: 0 },
  });
  await counter.scan();
}
