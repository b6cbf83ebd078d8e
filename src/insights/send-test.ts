/** A first email to look at, from the pages: what it says and where it goes is not for its sender to choose. */
import type { Database } from '../db/database.ts';
import type { Acceptor, Accepted } from '../sending/accept/accept-email.ts';

interface SendTestOptions {
  database: Database;
  acceptEmail: Acceptor['accept'];
  hostedDomain: string;
}

/**
 * From the hosted domain, through the same door as any other email.
 * @param to the address of whoever asks: a page must not become a way to write to others @param key the same key sends once
 * @param traceParent W3C traceparent of the request; null where nobody traces
 * @returns null where the project is gone @throws AppError as `Acceptor.accept`
 */
export async function sendTest(
  { database, acceptEmail, hostedDomain }: SendTestOptions,
  projectId: string,
  to: string,
  key: string,
  traceParent: string | null,
): Promise<Accepted | null> {
  const project = await database
    .selectFrom('projects')
    .select(['plan', 'trackOpens', 'trackClicks'])
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project === undefined) return null;
  const send = {
    from: `Posthorn <hello@${hostedDomain}>`,
    to: [to],
    subject: 'It works',
    html: '<p>This is a test email, sent from the documentation.</p>',
    text: 'This is a test email, sent from the documentation.',
    tags: ['test'],
  };
  return acceptEmail(
    { projectId, ...project, restrictions: null },
    send,
    `test-email ${key}`,
    traceParent,
    null,
  );
}
