/**
 * From the stored email to the message on the wire: composed and signed. The message depends on the email and the keys
 * alone, and on the recipient where it is tracked, so that a retry carries the same Message-ID, date and content.
 */
import { messageIdOf, timeOf } from '../../model/ids.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { isRelayOrder } from '../../model/relay-orders.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { signDkim } from '../../rfc/dkim/sign.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { compose } from '../../rfc/message/compose.ts';
import { recipientsCopy, type TrackedContent } from '../track/recipients-copy.ts';
import type { TrackingLinks } from '../track/tracking-links.ts';
import type { OutboundMessage, Provider } from './provider.ts';
import type { StoredEmail } from './stored-email.ts';

/** A message without what differs between its recipients. */
export interface ComposedEmail
  extends Pick<
    OutboundMessage,
    'projectId' | 'emailId' | 'messageId' | 'data' | 'smtputf8' | 'isForwarded' | 'isService' | 'isSealed'
  > {
  /** The domain of its return paths, in A-labels; empty where it has the null reverse-path. */
  mailFromDomain: string;
  /** Its reverse-path; null: each recipient has one of its own. */
  mailFrom: string | null;
  /** No key signs it, so it may go to mailboxes of its own project alone. */
  staysWithin: boolean;
  /** What its sender wants to hear of a recipient. Absent: nothing. */
  dsnOf?(recipientIndex: number): OutboundMessage['dsn'];
}

/** Makes the addresses to which reports about a message come back. */
interface ReturnPathMinter {
  /** The return path of one recipient, at `mailFromDomain` (A-labels). */
  mint(
    recipient: { projectId: string; emailId: string; recipientIndex: number },
    mailFromDomain: string,
  ): string;
  /** The return path of what a mailbox sends. @param sentAt when it was sent first */
  mintForMailbox(
    mailbox: { projectId: string; mailboxId: string },
    sentAt: Date,
    mailFromDomain: string,
  ): string;
  /** Names the email in the header of the message, for reports that keep the header alone. */
  mintReference(email: { projectId: string; emailId: string }, mailFromDomain: string): string;
}

export interface Composing {
  keyring: DkimKeyring;
  returnPaths: ReturnPathMinter;
  trackingLinks: TrackingLinks;
  /** Where the message goes. Default: a provider that leaves the header as it is. */
  provider?: Pick<Provider, 'overwrites'>;
}

/** @template Unsent what `compose` resolves with when the message must not go out */
export interface Composer<Unsent = null> {
  /** Whether each recipient has a copy of its own. */
  hasCopies: boolean;
  /** The domain of the sender, in A-labels. Throws as `compose` rejects. */
  senderDomain(): string;
  /**
   * Null: the project may not send from the domain of the sender any more, so no key signs the message, and it must not go out.
   * Rejects when the stored email is not what accepting let in: a bug, counted as a crash by the caller.
   * @param recipientIndex position of the recipient in the envelope
   */
  compose(recipientIndex: number): Promise<ComposedEmail | Unsent>;
}

/** Composes the message for each recipient: the same one, once, where nothing is tracked. */
export function composerOf(email: StoredEmail, composing: Composing): Composer {
  const { projectId, emailId, content } = email;
  const { tracking } = content;
  const senderDomain = (): string => mailbox(content.sender).domain;
  if (tracking === null) {
    let composed: Promise<ComposedEmail | null> | null = null;
    const compose = () => (composed ??= composeContent(email, content, composing));
    return { hasCopies: false, senderDomain, compose };
  }
  // A large one takes a tenth of a second: whatever else there is to do has its turn while the last one is signed.
  const turns = new Semaphore(1);
  return {
    hasCopies: true,
    senderDomain,
    compose: (recipientIndex) =>
      turns.run(() => {
        const recipient = { projectId, emailId, recipientIndex };
        return composeContent(
          email,
          recipientsCopy(content, tracking, recipient, composing.trackingLinks),
          composing,
        );
      }),
  };
}

async function composeContent(
  { projectId, emailId, content }: StoredEmail,
  { html, text, headers }: TrackedContent,
  { keyring, returnPaths, provider }: Composing,
): Promise<ComposedEmail | null> {
  const from = mailbox(content.sender);
  const keys = await keyring.keysFor(projectId, from.domain);
  if (keys.length === 0) return null;
  // Its recipients would take one of weeks ago for a message that was held back.
  const date = content.scheduledAt ?? timeOf(emailId);
  const messageId = messageIdOf(emailId, from.domain);
  const mailFromDomain = `${MAIL_FROM_LABEL}.${from.domain}`;
  // An earlier version may have accepted an order.
  const given = Object.entries(headers ?? {}).filter(([name]) => !isRelayOrder(name));
  // As a header field it is an address all the same, and is written as one.
  const replyTo = content.replyTo ?? given.find(([name]) => isReplyTo(name))?.[1];
  const message = compose({
    from,
    to: content.toList.map(mailbox),
    cc: content.cc.map(mailbox),
    replyTo: replyTo === undefined || replyTo === null ? [] : [mailbox(replyTo)],
    subject: content.subject,
    html,
    text,
    headers: [
      ...given.filter(([name]) => !isReplyTo(name)),
      // What a feedback loop leaves of a message is often its header alone.
      ['X-Posthorn-Return', returnPaths.mintReference({ projectId, emailId }, mailFromDomain)],
    ],
    messageId,
    date,
  });
  const signature = await signDkim(message, keys, {
    timestamp: Math.floor(date.getTime() / 1000),
    except: provider?.overwrites ?? [],
  });
  return {
    projectId,
    emailId,
    mailFromDomain,
    mailFrom: null,
    staysWithin: false,
    messageId,
    data: Buffer.concat([Buffer.from(`${signature}${message.header}\r\n`), message.body]),
    smtputf8: message.smtputf8,
  };
}

function isReplyTo(name: string): boolean {
  return name.toLowerCase() === 'reply-to';
}

function mailbox(text: string): MailboxAddress {
  const parsed = parseMailbox(text);
  if ('error' in parsed) throw new Error('an accepted address does not parse');
  return parsed;
}
