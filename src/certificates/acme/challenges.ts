/** The pending challenges of a certificate authority. They are in the database because the authority may connect to any machine. */
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

/** Stores a challenge and deletes expired challenges. */
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
