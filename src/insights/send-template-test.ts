import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import type { Database } from '../db/database.ts';
import type { Accepted, Acceptor } from '../sending/accept/accept-email.ts';
import type { FilledTemplate } from '../templates/fill-parts.ts';

export interface TestOptions {
  from: string;
  to: string;
  /** The same key sends once. */
  key: string;
  /** W3C traceparent of the request; null where nobody traces */
  traceParent: string | null;
}

/** By this people find their tests among the emails. */
const TAG = 'template-test';

/**
 * Sends what comes of a template to one address, by the rules of every email.
 * @throws AppError as `Acceptor.accept`
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
