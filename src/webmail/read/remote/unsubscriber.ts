/** One-click unsubscribe (RFC 8058): a POST that contains nothing about the reader. */
import type { GuardedClient } from '../../../net/guarded-client.ts';
import type { Unsubscribe } from '../sender/find-unsubscribe.ts';
import { TIMINGS } from '../timings.ts';

const BODY = 'List-Unsubscribe=One-Click';
const HEADERS = {
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': 'Mozilla/5.0 (compatible; Posthorn)',
};

/** @param unsubscribe must be of the kind one-click */
export async function unsubscribeByPost(
  client: Pick<GuardedClient, 'post'>,
  { url, host }: Unsubscribe,
): Promise<{ done: boolean; text: string }> {
  const { httpStatus, error } = await client.post(url ?? '', {
    headers: HEADERS,
    body: BODY,
    timeoutMs: TIMINGS.unsubscribeMs,
  });
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300)
    return { done: true, text: `${host} accepted the request. You should get no more of these emails.` };
  // RFC 8058, section 3.1 does not allow redirects. Most senders that redirect have unsubscribed the reader anyway.
  if (httpStatus !== null && httpStatus < 400 && httpStatus >= 300)
    return {
      done: false,
      text: `${host} requires a confirmation on its website. Open the link in the message.`,
    };
  const why = httpStatus === null ? (error ?? 'there was no response') : `it responded with ${httpStatus}`;
  return {
    done: false,
    text: `Could not unsubscribe at ${host}: ${why}. Try again later, or open the link in the message.`,
  };
}
