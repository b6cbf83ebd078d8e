import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import type { Database } from '../db/database.ts';
import type { Accepted, Acceptor } from '../sending/accept/accept-email.ts';
import type { FilledTemplate } from '../templates/fill-parts.ts';

export interface TestOptions {
  from: string;
  to: string;
  /** The idempotency key: the same key sends only one email. */
  key: string;
  /** The W3C traceparent of the request; null without tracing. */
  traceParent: string | null;
}

/** The tag of test emails, so that users can find these emails. */
const TAG = 'template-test';

/**
 * Sends a filled template to one address. The same rules apply as to any other email.
 * @throws AppError like `Acceptor.accept`
 */
export async function sendTemplateTest(
  { database, acceptEmail }: { database: Database; acceptEmail: Acceptor['accept'] },
  projectId: string,
  { subject, html, text }: FilledTemplate,
  { from, to, key, traceParent }: TestOptions,
): Promise<Accepted> {
  const sender = { projectId, ...(await readProjectSettings(database, projectId)), restrictions: null };
  const send = { from, to: [to], subject, html, text, tags: [TAG] };
  return acceptEmail(sender, send, `template-test ${key}`, traceParent, null);
}
