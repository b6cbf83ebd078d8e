/** Mail from projects of this instance to its mailboxes never leaves the machine, whatever the provider (docs/mailboxes.md). */
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { AttemptReply, Outcome, OutboundMessage, Provider } from './provider.ts';

/** What a mailbox says to a message. The code is that of SMTP (RFC 5321, section 4.2), and 250 is said after the commit. */
interface MailboxReply {
  replyCode: number;
  enhancedCode: string;
  text: string;
}

/**
 * A mailbox that takes mail. The same email may be handed over again, when nobody knows whether it was: it is there once.
 * @throws where nobody knows whether it was taken
 */
export type HandOver = (message: OutboundMessage) => Promise<MailboxReply>;

/** The mailboxes of this instance. `sending` knows nothing of those who take mail in: the composition hands them over. */
export interface MailboxesHere {
  /** Null: mail to the address goes out like all other mail. Mostly the answer comes at once. */
  find(address: string): MaybePromise<LocalDestination | MxElsewhere | null>;
}

/** A mailbox here has the address, and by the last answer of DNS the mail of its domain goes elsewhere. */
export interface MxElsewhere {
  /** The reason, for the timeline of the email, where mail was delivered here before. */
  note: string | null;
  /** Names of MX hosts that lead here: lower case. */
  ours: ReadonlySet<string>;
}

/** One mailbox, or several that an address leads to. */
export interface LocalDestination {
  /** Whose it is. */
  projectId: string;
  handOver: HandOver;
}

/**
 * Says of a mail of the service, just before it is sent, whether a link in it may be delivered: `outside`, never to a mailbox here; `withdrawn`,
 * not at all.
 */
export type JudgeLink = (message: OutboundMessage) => Promise<'free' | 'outside' | 'withdrawn'>;

/** A provider that hands over inside what is for the mailboxes here, and leaves the rest to another one. */
export class InsideProvider implements Provider {
  readonly #outside: Provider;
  readonly #mailboxes: MailboxesHere;
  readonly #hostname: string;
  readonly #judgeLink: JudgeLink;

  constructor(outside: Provider, mailboxes: MailboxesHere, hostname: string, judgeLink: JudgeLink) {
    this.#outside = outside;
    this.#mailboxes = mailboxes;
    this.#hostname = hostname;
    this.#judgeLink = judgeLink;
  }

  get capacity(): number {
    return this.#outside.capacity;
  }

  get isFinal(): boolean {
    return this.#outside.isFinal;
  }

  get destinations(): Provider['destinations'] {
    return this.#outside.destinations;
  }

  get overwrites(): readonly string[] {
    return this.#outside.overwrites ?? [];
  }

  async send(message: OutboundMessage): Promise<Outcome> {
    const link = message.isService === true ? await this.#judgeLink(message) : 'free';
    if (link === 'withdrawn') return this.#refuseLink();
    const found = this.#mailboxes.find(message.rcptTo);
    const place = found instanceof Promise ? await found : found;
    if (place === null) return this.#outside.send(message);
    if ('note' in place) return elsewhere(await this.#outside.send(message), place, message.rcptTo);
    return link === 'outside' ? this.#refuseLink() : this.#handOver(place, message);
  }

  async sendWithin(message: OutboundMessage): Promise<Outcome | null> {
    const place = await this.#mailboxes.find(message.rcptTo);
    if (place === null || 'note' in place) return null;
    // Attack: a link that opens an account, read by others in a mailbox here.
    if (message.isService === true && (await this.#judgeLink(message)) !== 'free') return this.#refuseLink();
    return place.projectId === message.projectId ? this.#handOver(place, message) : null;
  }

  #refuseLink(): Outcome {
    const reply: AttemptReply = {
      replyCode: 550,
      enhancedCode: '5.7.1',
      text: 'Links that open an account are not delivered to mailboxes of this server',
      remoteMta: this.#hostname,
      tls: false,
      dialogue: null,
    };
    return { outcome: 'permanent', reply, isInside: true };
  }

  async #handOver({ handOver }: LocalDestination, message: OutboundMessage): Promise<Outcome> {
    if (!message.mayCommit()) return { outcome: 'abandoned', isInside: true };
    const { replyCode, ...said } = await handOver(message);
    const reply: AttemptReply = {
      replyCode,
      ...said,
      remoteMta: this.#hostname,
      tls: false,
      dialogue: null,
    };
    if (replyCode < 300)
      return { outcome: 'accepted', reply, providerMessageId: message.messageId, isInside: true };
    return replyCode < 500
      ? { outcome: 'transient', reply, scope: 'message', isInside: true }
      : { outcome: 'permanent', reply, isInside: true };
  }

  close(): Promise<void> {
    return this.#outside.close();
  }
}

/**
 * The outcome of a message that went to the provider although a mailbox here has the address. Where direct delivery finds that the MX leads here after
 * all, one of the two answers of DNS is old: the MX moved a moment ago, or moved away and a resolver has the old record. The message waits, because both
 * answers are renewed within an hour or the TTL of the record, and is then delivered to one of the two. Any other domain without a route fails at once.
 */
function elsewhere(outcome: Outcome, { note, ours }: MxElsewhere, rcptTo: string): Outcome {
  if (outcome.outcome === 'abandoned') return outcome;
  if (outcome.outcome === 'unroutable' && outcome.bestHosts?.some((host) => ours.has(host)) === true) {
    const domain = rcptTo.slice(rcptTo.lastIndexOf('@') + 1);
    const again = `By the last answer the MX of ${domain} is elsewhere. DNS is asked again before the next attempt`;
    return { outcome: 'transient', reply: withNote(outcome.reply, again), scope: 'message' };
  }
  return { ...outcome, reply: note === null ? outcome.reply : withNote(outcome.reply, note) };
}

/** Not by spreading the reply: that of SMTP computes its dialogue when it is read, and a copy would have none. */
function withNote(reply: AttemptReply, note: string): AttemptReply {
  const { replyCode, enhancedCode, text, remoteMta, tls } = reply;
  return {
    replyCode,
    enhancedCode,
    text,
    remoteMta,
    tls,
    note,
    get dialogue() {
      return reply.dialogue;
    },
  };
}
