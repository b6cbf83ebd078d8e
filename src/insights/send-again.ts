/** Sends the content of an email again, as a new email through the same acceptor. */
import type { SendEmail } from '../contract/emails.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../db/database.ts';
import type { Acceptor, Accepted } from '../sending/accept/accept-email.ts';
import { AppError, unavailable } from '../model/app-error.ts';
import { checkAddresses } from '../sending/accept/check-envelope.ts';
import { fingerprint } from '../sending/accept/fingerprint.ts';
import type { NewMessage } from '../sending/accept/insert-messages.ts';
import { acceptWithMessage } from '../sending/accept/mail/accept-with-message.ts';
import { resentMessage } from '../sending/accept/mail/resent-message.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import { readContent, type SenderContent } from './read-content.ts';

/** The accepted email, and the number of its addresses. */
export interface SentAgain extends Accepted {
  addresses: number;
}

interface SendAgainOptions {
  database: Database;
  blobs: Pick<Blobs, 'open' | 'prepare' | 'discard'>;
  acceptEmail: Acceptor['accept'];
}

/**
 * How many emails can be sent again at once. The content of each, which may be several MB, is in memory until the new email is accepted.
 */
const SLOTS = 4;
const MAX_WAITING = 20;
const NEVER = new AbortController().signal;

/**
 * Limits how many emails are sent again at once, over all projects. Attack: requests of a few bytes, which no limit on request sizes stops,
 * each load the content of an email into memory.
 */
export class SendingAgain {
  readonly #options: SendAgainOptions;
  readonly #slots = new FairSlots({
    slots: SLOTS,
    slotsPerOwner: SLOTS / 2,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      unavailable('Too many emails of this project are being sent again. Try again in a few seconds.'),
  });

  constructor(options: SendAgainOptions) {
    this.#options = options;
  }

  /** Runs `sendAgain` in a slot. @throws AppError like `sendAgain`; unavailable */
  send(projectId: string, ...rest: [emailId: string, key: string, traceParent: string | null]) {
    return this.#slots.run(projectId, NEVER, () => sendAgain(this.#options, projectId, ...rest));
  }
}

/**
 * Sends the content of an email again. The new email has the same recipients, and all current rules apply to it: verified domain,
 * suppressions, plan, tracking.
 * @param key the idempotency key: the same key sends only one email
 * @param traceParent W3C traceparent of the request; null without tracing
 * @returns null if the project has no such email
 * @throws AppError bad-request if the bodies were deleted; and like `Acceptor.accept`
 */
async function sendAgain(
  { database, blobs, acceptEmail }: SendAgainOptions,
  projectId: string,
  emailId: string,
  key: string,
  traceParent: string | null,
): Promise<SentAgain | null> {
  const [content, project] = await Promise.all([
    readContent(database, projectId, emailId),
    database
      .selectFrom('projects')
      .select(['plan', 'trackOpens', 'trackClicks', 'smtpTracking'])
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
  const { message, recipients } = content;
  const sender = { projectId, ...project, restrictions: null };
  const name = `send-again ${emailId} ${key}`;
  if (message !== null) {
    const envelope = checkAddresses({ from: content.sender, to: recipients }, recipients.length);
    const accepted = await acceptWithMessage(
      blobs,
      () => storeCopy(blobs, projectId, message, envelope.from.domain),
      (store) =>
        acceptEmail(
          { ...sender, tracks: project.smtpTracking && message.layout.html !== null },
          send,
          name,
          traceParent,
          { fingerprint: fingerprint(send), envelope },
          store,
        ),
    );
    return { ...accepted, addresses: recipients.length };
  }
  const accepted = await acceptEmail(sender, send, name, traceParent, null);
  return { ...accepted, addresses: content.toList.length + content.cc.length + content.bcc.length };
}

/** Stores the message of the new email. */
async function storeCopy(
  blobs: SendAgainOptions['blobs'],
  projectId: string,
  message: NonNullable<SenderContent['message']>,
  domain: string,
): Promise<NewMessage> {
  const stored = await (await blobs.open(projectId, message.digest))?.read();
  if (stored == null) throw new AppError('bad-request', 'The body of this email was deleted.');
  const { data, digest, bodyHash, messageId, layout } = resentMessage(stored, message, domain);
  return { blob: await blobs.prepare(projectId, data, digest), bodyHash, messageId, layout };
}
