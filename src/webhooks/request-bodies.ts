import type { Database } from '../db/database.ts';
import { loadSources } from './deliver/load-deliveries.ts';
import { emailPayload, testPayload } from './payload.ts';
import type { DeliveryRow } from './records.ts';

/** The complete request body of each delivery, in the same order; undefined if the email was deleted. */
export async function requestBodies(
  database: Database,
  deliveries: readonly DeliveryRow[],
): Promise<(string | undefined)[]> {
  const sources = await loadSources(database, deliveries);
  return deliveries.map(({ emailId, eventId, webhookId }) => {
    if (emailId === null) return testPayload({ eventId, webhookId });
    const source = sources.get(eventId);
    return source === undefined ? undefined : emailPayload(source);
  });
}
