/** Sends what an email said once more, as a new email through the same door. */
import type { SendEmail } from '../contract/emails.ts';
import type { Database } from '../db/database.ts';
import type { Acceptor, Accepted } from '../sending/accept/accept-email.ts';
import { unavailable } from '../model/app-error.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import { readContent } from './read-content.ts';

/** As it was accepted, and to how many addresses it goes. */
export interface SentAgain extends Accepted {
  addresses: number;
}

interface SendAgainOptions {
  database: Database;
  acceptEmail: Acceptor['accept'];
}

/** Emails whose content is in memory until it is accepted: megabytes each. */
const PLACES = 4;
const MAX_WAITING = 20;
const NEVER = new AbortController().signal;

/**
 * `sendAgain` for many projects. Attack: a request of a few bytes holds the content of an email, which the limits for the bytes of requests
 * do not see.
 */
export class SendingAgain {
  readonly #options: SendAgainOptions;
  readonly #turns = new FairSlots({
    places: PLACES,
    placesOfOne: PLACES / 2,
    maxWaitingOfOne: MAX_WAITING,
    refusal: () => unavailable('Too many emails of this project are being sent again at the moment.'),
  });

  constructor(options: SendAgainOptions) {
    this.#options = options;
  }

  /** As `sendAgain`. @throws AppError unavailable too */
  send(projectId: string, ...rest: [emailId: string, key: string, traceParent: string | null]) {
    return this.#turns.run(projectId, NEVER, () => sendAgain(this.#options, projectId, ...rest));
  }
}

/**
 * The new email goes to the same recipients, and every rule of today holds for it: verified domain, suppressions, plan, tracking.
 * Null when the project has no such email.
 * @param key the same key sends once @param traceParent W3C traceparent of the request; null where nobody traces
 * @throws AppError bad-request: the bodies were deleted; and as `Acceptor.accept`
 */
async function sendAgain(
  { database, acceptEmail }: SendAgainOptions,
  projectId: string,
  emailId: string,
  key: string,
  traceParent: string | null,
): Promise<SentAgain | null> {
  const [content, project] = await Promise.all([
    readContent(database, projectId, emailId),
    database
      .selectFrom('projects')
      .select(['plan', 'trackOpens', 'trackClicks'])
      .where('id', '=', projectId)
      .executeTakeFirst(),
  ]);
  if (content === null || project === undefined) return null;
  const send: SendEmail = {
    from: content.sender,
    to: content.toList,
    cc: content.cc,
    bcc: content.bcc,
    ...(content.replyTo !== null && { reply_to: content.replyTo }),
    subject: content.subject,
    ...(content.html !== null && { html: content.html }),
    ...(content.text !== null && { text: content.text }),
    headers: content.headers,
    tags: content.tags,
    stream: content.stream,
  };
  const sender = { projectId, ...project, restrictions: null };
  const accepted = await acceptEmail(sender, send, `send-again ${emailId} ${key}`, traceParent, null);
  return { ...accepted, addresses: content.toList.length + content.cc.length + content.bcc.length };
}
