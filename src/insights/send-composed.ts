import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import type { SendEmail } from '../contract/emails.ts';
import type { Database } from '../db/database.ts';
import type { Accepted, Acceptor } from '../sending/accept/accept-email.ts';

/**
 * Sends what somebody wrote in the dashboard, by the rules of every email.
 * @param key the same key sends once @param traceParent W3C traceparent of the request; null where nobody traces
 * @throws AppError as `Acceptor.accept`
 */
export async function sendComposed(
  { database, acceptEmail }: { database: Database; acceptEmail: Acceptor['accept'] },
  projectId: string,
  email: SendEmail,
  key: string,
  traceParent: string | null,
): Promise<Accepted> {
  const sender = { projectId, ...(await readProjectSettings(database, projectId)), restrictions: null };
  return acceptEmail(sender, email, `dashboard ${key}`, traceParent, null);
}
