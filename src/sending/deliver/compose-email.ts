/**
 * Composes and signs the message of a stored email. The message depends only on the email, the keys and, if the email is tracked, the
 * recipient. So a retry sends the same Message-ID, date and content.
 */
import type { Blobs } from '../../blobs/blobs.ts';
import { messageIdOf, timeOf } from '../../model/ids.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { isRelayOrder } from '../../model/relay-orders.ts';
import { signDkim } from '../../rfc/dkim/sign.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { compose } from '../../rfc/message/compose.ts';
import { recipientsCopy, type TrackedContent } from '../track/recipients-copy.ts';
import type { TrackingLinks } from '../track/tracking-links.ts';
import { composeMessage } from './compose-message.ts';
import type { OutboundMessage, Provider } from './provider.ts';
import { hasMessage, mailboxOf, type StoredEmail } from './stored-email.ts';

/** A message without the fields that differ between its recipients. */
export interface ComposedEmail
  extends Pick<
    OutboundMessage,
    | 'projectId'
    | 'emailId'
    | 'messageId'
    | 'data'
    | 'smtputf8'
    | 'isForwarded'
    | 'isRedirect'
    | 'isService'
    | 'isSealed'
  > {
  /** The domain of the email's return paths, in A-labels. Empty for the null reverse-path. */
  mailFromDomain: string;
  /** The reverse-path for all recipients of the email. Null: each recipient has a separate reverse-path. */
  mailFrom: string | null;
  /** True: no key signs the email, so it may only be delivered to mailboxes of its own project. */
  localOnly: boolean;
  /** The delivery reports that the sender requested for a recipient. Absent: no reports. */
  dsnOf?(recipientIndex: number): OutboundMessage['dsn'];
}

/** Creates the addresses to which reports about a message return. */
interface ReturnPathMinter {
  /** The return path of one recipient, at the domain `mailFromDomain` (A-labels). */
  mint(
    recipient: { projectId: string; emailId: string; recipientIndex: number },
    mailFromDomain: string,
  ): string;
  /** The return path of mailbox mail. @param sentAt when the message was first sent */
  mintForMailbox(
    mailbox: { projectId: string; mailboxId: string },
    sentAt: Date,
    mailFromDomain: string,
  ): string;
  /** A reference to the email, for its header. Reports that contain only the header can be matched to the email. */
  mintReference(email: { projectId: string; emailId: string }, mailFromDomain: string): string;
}

export interface Composing {
  keyring: DkimKeyring;
  returnPaths: ReturnPathMinter;
  trackingLinks: TrackingLinks;
  /** The storage of messages that are sent as they are. */
  blobs: Pick<Blobs, 'open'>;
  /** The provider that sends the message. Default: a provider that does not change the header. */
  provider?: Pick<Provider, 'overwrites'>;
}

/** @template Unsent the result of `compose` if the message must not be sent */
export interface Composer<Unsent = null> {
  /** Whether each recipient gets a different copy. */
  hasCopies: boolean;
  /** The domain of the sender, in A-labels. @throws the errors with which `compose` rejects */
  senderDomain(): string;
  /**
   * Composes the message for one recipient. Resolves to `Unsent` if the project may no longer send from the sender's domain: then no key
   * signs the message, and nothing may be sent. Rejects if the stored email is invalid, which is a bug and counts as a crash.
   * @param recipientIndex index of the recipient in the envelope
   * @param isSevenBit whether the server accepts only ASCII. Resolves to null if the message cannot be converted
   */
  compose(recipientIndex: number, isSevenBit?: boolean): Promise<ComposedEmail | Unsent | null>;
}

/** Composes the message for each recipient. Without tracking, the message is composed once for all recipients. */
export function composerOf(email: StoredEmail, composing: Composing): Composer {
  const { projectId, emailId, content } = email;
  const { tracking } = content;
  const senderDomain = (): string => mailboxOf(content.sender).domain;
  if (tracking === null) {
    const compose = onceEach((isSevenBit) => composeContent(email, null, composing, isSevenBit));
    return { hasCopies: false, senderDomain, compose: (_, isSevenBit) => compose(isSevenBit) };
  }
  // Composing a large message takes a tenth of a second, so only one message is composed at a time: other work can run while it is signed.
  const turns = new Semaphore(1);
  return {
    hasCopies: true,
    senderDomain,
    compose: (recipientIndex, isSevenBit = false) =>
      turns.run(() => {
        const recipient = { projectId, emailId, recipientIndex };
        return composeContent(
          email,
          recipientsCopy(trackable(content), tracking, recipient, composing.trackingLinks),
          composing,
          isSevenBit,
        );
      }),
  };
}

/** Composes each of the two forms of a message at most once. */
export function onceEach<T>(
  compose: (isSevenBit: boolean) => Promise<T>,
): (isSevenBit?: boolean) => Promise<T> {
  const composed = new Map<boolean, Promise<T>>();
  return (isSevenBit = false) => {
    const message = composed.get(isSevenBit) ?? compose(isSevenBit);
    composed.set(isSevenBit, message);
    return message;
  };
}

/** The parts that tracking may change. In a message that is sent as it is, these parts have a range. */
function trackable(content: StoredEmail['content']): TrackedContent {
  const { html, text, headers } = content;
  if (!hasMessage(content)) return content;
  const { layout } = content;
  return { html: layout.html && html, text: layout.text && text, headers };
}

async function composeContent(
  { projectId, emailId, content }: StoredEmail,
  copy: TrackedContent | null,
  { keyring, returnPaths, blobs, provider }: Composing,
  isSevenBit: boolean,
): Promise<ComposedEmail | null> {
  const from = mailboxOf(content.sender);
  const keys = await keyring.keysFor(projectId, from.domain);
  if (keys.length === 0) return null;
  // The date of a scheduled email is its send time. If its date were the time of the request, the email would seem delayed by weeks.
  const date = content.scheduledAt ?? timeOf(emailId);
  const mailFromDomain = `${MAIL_FROM_LABEL}.${from.domain}`;
  const signing = {
    timestamp: Math.floor(date.getTime() / 1000),
    except: provider?.overwrites ?? [],
  };
  // Complaint reports from feedback loops often contain only the header of the message.
  const reference = returnPaths.mintReference({ projectId, emailId }, mailFromDomain);
  const composed = { projectId, emailId, mailFromDomain, mailFrom: null, localOnly: false };
  if (hasMessage(content)) {
    const how = { keys, signing, blobs, reference, isSevenBit };
    const message = await composeMessage(projectId, content, copy, how);
    return message && { ...composed, ...message, messageId: content.messageId };
  }
  const { html, text, headers } = copy ?? content;
  const messageId = messageIdOf(emailId, from.domain);
  // Fields that instruct relays are removed here, because an earlier version accepted them.
  const given = Object.entries(headers ?? {}).filter(([name]) => !isRelayOrder(name));
  // A Reply-To among the caller's header fields contains an address, so it is formatted like the other address fields.
  const replyTo = content.replyTo ?? given.find(([name]) => isReplyTo(name))?.[1];
  const message = compose({
    from,
    to: content.toList.map(mailboxOf),
    cc: content.cc.map(mailboxOf),
    replyTo: replyTo === undefined || replyTo === null ? [] : [mailboxOf(replyTo)],
    subject: content.subject,
    html,
    text,
    headers: [...given.filter(([name]) => !isReplyTo(name)), ['X-Posthorn-Return', reference]],
    messageId,
    date,
  });
  const signature = await signDkim(message, keys, signing);
  return {
    ...composed,
    messageId,
    data: Buffer.concat([Buffer.from(`${signature}${message.header}\r\n`), message.body]),
    smtputf8: message.smtputf8,
  };
}

function isReplyTo(name: string): boolean {
  return name.toLowerCase() === 'reply-to';
}
