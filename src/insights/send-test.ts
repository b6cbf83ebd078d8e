/** Sends a first test email from the docs pages or from the page Start. The user can choose neither the content nor the recipient of the email. */
import type { Database } from '../db/database.ts';
import type { Acceptor, Accepted } from '../sending/accept/accept-email.ts';

interface SendTestOptions {
  database: Database;
  acceptEmail: Acceptor['accept'];
  hostedDomain: string;
}

/**
 * Sends the email from the hosted domain, through the same acceptor as any other email.
 * @param to the caller's own address, because a test must not allow sending mail to others
 * @param key the idempotency key: the same key sends only one email
 * @param traceParent W3C traceparent of the request; null without tracing
 * @returns null if the project was deleted
 * @throws AppError like `Acceptor.accept`
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
    html: '<p>This is a test email from Posthorn.</p>',
    text: 'This is a test email from Posthorn.',
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
