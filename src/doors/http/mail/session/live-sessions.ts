import type { WebSession } from '../../../../accounts/calls.ts';
import { mailTokensOf, setMailCookie } from '../cookies.ts';
import type { MailCall } from '../operation.ts';

/** The live sessions of a browser by token, oldest first. Deletes the cookies of sessions that have ended. */
export async function liveSessions({
  services,
  request,
  reply,
  isSecure,
}: Pick<MailCall, 'services' | 'request' | 'reply' | 'isSecure'>): Promise<Map<string, WebSession>> {
  const found = await Promise.all(
    Array.from(mailTokensOf(request, isSecure), async ([mailboxId, token]) => {
      const session = await services.sessions.find(token);
      return { mailboxId, token, session: session?.mailboxId === mailboxId ? session : null };
    }),
  );
  const live = new Map<string, WebSession>();
  for (const { mailboxId, token, session } of found) {
    if (session === null) setMailCookie(reply, mailboxId, null, isSecure);
    else live.set(token, session);
  }
  return live;
}
