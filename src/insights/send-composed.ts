import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import type { SendEmail } from '../contract/emails.ts';
import type { Database } from '../db/database.ts';
import type { Accepted, Acceptor } from '../sending/accept/accept-email.ts';

/**
 * Sends an email that a user wrote in the dashboard. The same rules apply as to any other email.
 * @param key the idempotency key: the same key sends only one email
 * @param traceParent W3C traceparent of the request; null without tracing
 * @throws AppError like `Acceptor.accept`
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
