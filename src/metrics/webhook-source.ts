/** How much the webhooks have still to deliver, and how late it is. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { webhookDeliveries, webhookOldestDue } from '../observe/instance-instruments.ts';
import type { Source } from './figures.ts';
import { MAX_COUNTED } from './queue-source.ts';

export const webhookSource: Source = {
  async read(database: Database): Promise<void> {
    // All three columns of the index of pending rows, so that only the index is read.
    const { rows } = await sql<Counts>`
      select
        count(*) filter (where next_attempt_at <= now())::float8 as due,
        count(*) filter (where next_attempt_at > now())::float8 as waiting,
        extract(epoch from now() - least(min(next_attempt_at), now()))::float8 as oldest_due
      from (
        select next_attempt_at from webhook_deliveries where status = 'pending'
        order by webhook_id, next_attempt_at, id limit ${sql.lit(MAX_COUNTED)}
      ) pending`.execute(database);
    const { due, waiting, oldestDue } = rows[0] as Counts;
    webhookDeliveries.set({ state: 'due' }, due);
    webhookDeliveries.set({ state: 'waiting' }, waiting);
    webhookOldestDue.set({}, oldestDue);
  },
  withdraw(): void {
    webhookDeliveries.withdraw();
    webhookOldestDue.withdraw();
  },
};

interface Counts {
  due: number;
  waiting: number;
  oldestDue: number;
}
