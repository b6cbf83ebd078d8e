/** What is being proved to a certificate authority. It stands in the database, because any machine may be asked for it. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { TIMINGS } from './timings.ts';

export type ChallengeType = Tables['acmeChallenges']['type'];
export type Challenge = Omit<Tables['acmeChallenges'], 'expiresAt'>;

export function readChallenges(database: Database): Promise<Challenge[]> {
  return database
    .selectFrom('acmeChallenges')
    .select(['token', 'name', 'type', 'keyAuthorization'])
    .where('expiresAt', '>', sql<Date>`now()`)
    .execute();
}

/** Those whose time is over go at the same time. */
export async function writeChallenge(database: Database, challenge: Challenge): Promise<void> {
  await database.deleteFrom('acmeChallenges').where('expiresAt', '<=', sql<Date>`now()`).execute();
  const expiresAt = sql<Date>`now() + ${TIMINGS.claimMs} * interval '1 millisecond'`;
  await database
    .insertInto('acmeChallenges')
    .values({ ...challenge, expiresAt })
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ ...challenge, expiresAt }))
    .execute();
}

export async function forgetChallenges(database: Database, name: string): Promise<void> {
  await database.deleteFrom('acmeChallenges').where('name', '=', name).execute();
}
