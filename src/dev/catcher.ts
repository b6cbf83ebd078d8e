/** Accepts the mail that `posthorn dev` catches by SMTP: any message, from any sender, to any recipients. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { MAX_CONTENT_BYTES, MAX_LISTED_ADDRESSES, MAX_SUBJECT_LENGTH } from '../contract/emails.ts';
import { newUuid } from '../model/ids.ts';
import { formatMailbox, type MailboxAddress, parseMailbox } from '../rfc/address/index.ts';
import { insertRows, type NewEmail } from '../sending/accept/insert-emails.ts';
import * as clock from '../model/clock.ts';
import type { MessageReader } from './message-reader.ts';
import type { CaughtMessage } from './read-message.ts';

export interface CatcherOptions {
  database: Database;
  reader: Pick<MessageReader, 'read'>;
  /** uuid of the project that gets the mail. */
  projectId: string;
  /** The domain of the sender of messages that name none. */
  hostedDomain: string;
  /** Called after each commit. */
  onQueued(): void;
}

export interface CaughtEnvelope {
  reversePath: string;
  /** Normalized addresses. */
  recipients: readonly string[];
}

export class Catcher {
  readonly #options: CatcherOptions;

  constructor(options: CatcherOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit. The message is stored unchanged, as the message that the sandbox received, and a worker then plays the
   * outcomes of its recipients. @returns the uuid of the email
   */
  async accept(envelope: CaughtEnvelope, raw: Buffer): Promise<string> {
    const { database, reader, onQueued } = this.#options;
    const email = this.#emailOf(envelope, await reader.read(raw));
    await database.transaction().execute(async (tx) => {
      await insertRows(tx, [email]);
      await storeMessage(tx, email, raw);
    });
    onQueued();
    return email.emailId;
  }

  /** The email as lists, the dashboard and the queue show it. Whatever a stored email cannot contain is only in the message. */
  #emailOf({ reversePath, recipients }: CaughtEnvelope, message: CaughtMessage): NewEmail {
    const { projectId, hostedDomain } = this.#options;
    const [first] = message.from;
    const from =
      (first === undefined ? null : mailboxOf(first)) ??
      mailboxOf({ name: '', address: reversePath }) ??
      mailboxOf({ name: '', address: `unknown@${hostedDomain}` });
    if (from === null) throw new TypeError('the hosted domain is not valid in an address');
    const [to, cc] = [message.to, message.cc].map((list) =>
      list.slice(0, MAX_LISTED_ADDRESSES).flatMap((each) => mailboxOf(each) ?? []),
    ) as [Mailbox[], Mailbox[]];
    const [replyTo] = message.replyTo.flatMap((each) => mailboxOf(each) ?? []);
    const named = new Set([...to, ...cc].map(({ address }) => address));
    return {
      projectId,
      emailId: newUuid(),
      sender: from.text,
      senderAddress: from.address,
      to: to.map(({ text }) => text),
      cc: cc.map(({ text }) => text),
      bcc: recipients.filter((address) => !named.has(address)),
      replyTo: replyTo?.text ?? null,
      subject: message.subject
        .replaceAll(/[\r\n]+/g, ' ')
        .slice(0, MAX_SUBJECT_LENGTH)
        .toWellFormed(),
      html: storable(message.html),
      // Composing needs a body, although the sandbox stores the message as it was caught.
      text: storable(message.text) ?? (message.html === '' ? '\n' : null),
      templateId: null,
      headers: null,
      tags: [],
      stream: 'transactional',
      recipients,
      tracking: null,
      traceParent: null,
      idempotency: null,
      emitsEvents: true,
      scheduledAt: null,
      message: null,
    };
  }
}

type Mailbox = { text: string; address: string };

/** @returns null if a stored email cannot contain the address */
function mailboxOf({ name, address }: { name: string; address: string }): Mailbox | null {
  const parsed = parseMailbox(address);
  if ('error' in parsed) return null;
  for (const displayName of [name.trim() || null, null]) {
    const text = formatMailbox({ ...parsed, displayName });
    // The name may contain characters that are not allowed in a name, so parse the result.
    const again: MailboxAddress | { error: string } = parseMailbox(text);
    if (!('error' in again) && again.address === parsed.address) return { text, address: again.address };
  }
  return null;
}

/** @returns null for an empty body */
function storable(body: string): string | null {
  const text = body.replaceAll('\0', '').toWellFormed();
  // A character has at most three bytes for each of its UTF-16 code units.
  const short =
    Buffer.byteLength(text) <= MAX_CONTENT_BYTES ? text : text.slice(0, MAX_CONTENT_BYTES / 3).toWellFormed();
  return short || null;
}

/** The sandbox keeps the message of an email that it already has, so a worker does not replace this one with a composed message. */
async function storeMessage(
  tx: DatabaseTransaction,
  { projectId, emailId }: Pick<NewEmail, 'projectId' | 'emailId'>,
  message: Buffer,
): Promise<void> {
  await tx
    .insertInto('sandboxMessages')
    .values({ projectId, emailId, message, createdAt: clock.now() })
    .execute();
}
