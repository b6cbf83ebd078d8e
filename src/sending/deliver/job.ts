import type { ClaimedRow } from '../../queue/claim.ts';
import type { ProjectStream } from '../../queue/fair-shares.ts';
import type { DestinationAvailability } from './destination-state.ts';

/** The recipients of one email at one destination. The message is composed and signed once for all of these recipients. */
export interface Job extends ProjectStream {
  emailId: string;
  /** Empty if all mail is sent to one server. */
  destination: string;
  rows: ClaimedRow[];
  /** Present if the job probes whether its destination accepts mail from its sender again. */
  probes?: DestinationAvailability;
}

/** Groups recipients of one email at one destination that were claimed together. */
export function groupJobs(rows: readonly ClaimedRow[], destinationOf: (address: string) => string): Job[] {
  const jobs = new Map<string, Job>();
  for (const row of rows) {
    const { projectId, stream, emailId } = row;
    const destination = destinationOf(row.address);
    const key = `${emailId} ${destination}`;
    const job = jobs.get(key);
    if (job === undefined) jobs.set(key, { projectId, stream, emailId, destination, rows: [row] });
    else job.rows.push(row);
  }
  return [...jobs.values()];
}
