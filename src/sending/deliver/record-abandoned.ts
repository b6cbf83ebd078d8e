import type { Logger } from 'pino';
import type { OnAbandoned } from '../../queue/end-lease.ts';
import { countEvents } from '../events/observe-events.ts';
import { recordEvents } from '../events/record-events.ts';
import { recordOutcomes } from '../submit/record-outcomes.ts';
import { failedUnsent } from './outcome-events.ts';
import { logAbandoned } from './recipient-lines.ts';

/**
 * Records that rows were abandoned because workers kept crashing with the rows in flight: on the timeline of an email, or for the mailbox
 * that sent the mail.
 */
export function recordAbandoned(logger: Logger): OnAbandoned {
  return async (tx, rows) => {
    const changes = rows.map((row) => ({ ...row, events: [failedUnsent(row, 'internal')] }));
    await recordEvents(tx, changes);
    await recordOutcomes(tx, changes);
    for (const row of rows) logAbandoned(logger, row, 'internal');
    for (const { events } of changes) countEvents(events);
  };
}
