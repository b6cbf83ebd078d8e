/** The number of pending webhook deliveries, and their delay. */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { instanceGauge } from '../observe/define.ts';
import { type FigureSource, withdrawAll } from './figures.ts';
import { MAX_COUNTED } from './queue-source.ts';

const figures = {
  deliveries: instanceGauge(
    'posthorn_webhook_deliveries',
    'Pending webhook deliveries: due, or waiting for a retry or a response.',
    { state: ['due', 'waiting'] },
  ),
  oldestDue: instanceGauge(
    'posthorn_webhook_oldest_due_seconds',
    'How long the oldest due webhook delivery has been due; 0 if none is due.',
  ),
};

const COUNTS = columnsOf({ due: 'float8', waiting: 'float8', oldestDue: 'float8' });

export const webhookSource: FigureSource = {
  async read(database: Database): Promise<void> {
    // Use no columns but the three in the index of due deliveries, so that PostgreSQL reads only the index.
    const { rows } = await COUNTS.sql`
      select
        count(*) filter (where next_attempt_at <= now())::float8 as due,
        count(*) filter (where next_attempt_at > now())::float8 as waiting,
        extract(epoch from now() - least(min(next_attempt_at), now()))::float8 as oldest_due
      from (
        select next_attempt_at from due_deliveries
        order by webhook_id, next_attempt_at, event_id limit ${sql.lit(MAX_COUNTED)}
      ) pending`.execute(database);
    const { due, waiting, oldestDue } = rows[0] as RowOf<typeof COUNTS>;
    figures.deliveries.set({ state: 'due' }, due);
    figures.deliveries.set({ state: 'waiting' }, waiting);
    figures.oldestDue.set({}, oldestDue);
  },
  withdraw: () => withdrawAll(figures),
};
