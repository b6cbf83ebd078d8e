import type { OnGivenUp } from '../../queue/end-life.ts';
import { recordEvents } from '../events/record-events.ts';
import { failedInternally } from './outcome-events.ts';

/** Says on the timeline that rows were given up because workers kept dying with them in hand. */
export const recordGivenUp: OnGivenUp = (tx, rows) =>
  recordEvents(
    tx,
    rows.map((row) => ({ projectId: row.projectId, emailId: row.emailId, events: [failedInternally(row)] })),
  );
