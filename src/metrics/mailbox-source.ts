/** The number of mailboxes that need the operator's attention. */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { instanceGauge } from '../observe/define.ts';
import { type FigureSource, withdrawAll } from './figures.ts';
import { MAX_COUNTED } from './queue-source.ts';

const figures = {
  locked: instanceGauge('posthorn_locked_mailboxes', 'Mailboxes that are locked for sending.'),
};

const LOCKED = columnsOf({ locked: 'float8' });

export const mailboxSource: FigureSource = {
  async read(database: Database): Promise<void> {
    const { rows } = await LOCKED.sql`
      select count(*)::float8 as locked from (
        select from sending_locks where locked_at is not null limit ${sql.lit(MAX_COUNTED)}) locked`.execute(
      database,
    );
    figures.locked.set({}, rows[0]?.locked ?? 0);
  },
  withdraw: () => withdrawAll(figures),
};
