import { createHash, timingSafeEqual } from 'node:crypto';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { openRouteSecrets } from '../secrets.ts';
import type { RouteKey } from './find-messages.ts';

const SECRETS = columnsOf({
  id: 'uuid',
  secretSealed: 'text',
  previousSecretSealed: 'text?',
  previousSecretUntil: 'timestamptz?',
});

/** Whether the text is a secret of the route. Takes the same time for every wrong text. */
export async function isRouteSecret(
  database: Database,
  sealer: Sealer,
  { projectId, routeId }: RouteKey,
  presented: string,
): Promise<boolean> {
  const { rows } = await SECRETS.sql`
    select id, secret_sealed, previous_secret_sealed, previous_secret_until from routes
    where project_id = ${projectId} and id = ${routeId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return false;
  const { current, next } = openRouteSecrets(sealer, row, clock.now());
  return isSame(presented, current) || (next !== null && isSame(presented, next));
}

function isSame(presented: string, secret: string): boolean {
  const [given, expected] = [presented, secret].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(given as Buffer, expected as Buffer);
}
