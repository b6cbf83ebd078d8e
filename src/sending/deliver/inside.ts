/**
 * Local delivery. Mail from a project on this instance to a mailbox on this instance never leaves the machine, whatever the provider
 * (docs/mailboxes.md).
 */
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { AttemptReply, Outcome, OutboundMessage, Provider } from './provider.ts';

/** The reply of a mailbox to a message, with an SMTP code (RFC 5321, section 4.2). The reply 250 is given after the commit. */
interface MailboxReply {
  replyCode: number;
  enhancedCode: string;
  text: string;
}

/**
 * Delivers a message to a mailbox. If it is unknown whether the message was delivered, the message may be handed over again: it is stored
 * only once.
 * @throws if it is unknown whether the message was stored
 */
export type HandOver = (message: OutboundMessage) => Promise<MailboxReply>;

/**
 * The mailboxes of this instance. This is an interface because `sending` must not depend on `reception`. The composition passes in the
 * implementation.
 */
export interface MailboxesHere {
  /** Returns null if mail to the address is not delivered locally. Usually returns the value itself, not a promise. */
  find(address: string): MaybePromise<LocalDestination | MxElsewhere | null>;
}

/**
 * The result for an address that has a local mailbox although, according to the last DNS response, the MX of its domain is another server.
 */
export interface MxElsewhere {
  /**
   * The reason that the email's timeline shows if mail for the address was delivered locally earlier. Null: no mail for the address was
   * delivered locally.
   */
  note: string | null;
  /** The names of MX hosts that point to this server, in lower case. */
  ownHosts: ReadonlySet<string>;
}

/** The mailboxes of an address, at least one. */
export interface LocalDestination {
  /** The project that owns the mailboxes. */
  projectId: string;
  handOver: HandOver;
}

/**
 * Decides, just before service mail is sent, whether its link may be delivered. `free`: to any mailbox. `outside`: never to a local
 * mailbox. `withdrawn`: to no mailbox.
 */
export type JudgeLink = (message: OutboundMessage) => Promise<'free' | 'outside' | 'withdrawn'>;

/** A provider that delivers mail for local mailboxes itself and passes all other mail to another provider. */
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
    const mailbox = found instanceof Promise ? await found : found;
    if (mailbox === null) return this.#outside.send(message);
    if ('note' in mailbox) return elsewhere(await this.#outside.send(message), mailbox, message.rcptTo);
    return link === 'outside' ? this.#refuseLink() : this.#handOver(mailbox, message);
  }

  async sendLocally(message: OutboundMessage): Promise<Outcome | null> {
    const place = await this.#mailboxes.find(message.rcptTo);
    if (place === null || 'note' in place) return null;
    // Stops this attack: a link that opens an account is delivered to a local mailbox that other people can read.
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
    return { outcome: 'permanent', reply, isLocal: true };
  }

  async #handOver({ handOver }: LocalDestination, message: OutboundMessage): Promise<Outcome> {
    if (!message.mayCommit()) return { outcome: 'abandoned', isLocal: true };
    const { replyCode, ...fields } = await handOver(message);
    const reply: AttemptReply = {
      replyCode,
      ...fields,
      remoteMta: this.#hostname,
      tls: false,
      dialogue: null,
    };
    if (replyCode < 300)
      return { outcome: 'accepted', reply, providerMessageId: message.messageId, isLocal: true };
    return replyCode < 500
      ? { outcome: 'transient', reply, scope: 'message', isLocal: true }
      : { outcome: 'permanent', reply, isLocal: true };
  }

  close(): Promise<void> {
    return this.#outside.close();
  }
}

/**
 * The outcome of a message that was sent to the provider although a local mailbox has the address. If direct delivery finds that the MX
 * points to this server after all, one of the two DNS responses is stale: either the MX has just moved to this server, or it moved away and
 * a resolver still has the old record. The message is deferred, because both responses are renewed within an hour or the TTL of the record,
 * and the message is then delivered to the right server. Mail to any other domain without a route fails at once.
 */
function elsewhere(outcome: Outcome, { note, ownHosts }: MxElsewhere, rcptTo: string): Outcome {
  if (outcome.outcome === 'abandoned') return outcome;
  if (outcome.outcome === 'unroutable' && outcome.bestHosts?.some((host) => ownHosts.has(host)) === true) {
    const domain = rcptTo.slice(rcptTo.lastIndexOf('@') + 1);
    const again = `According to the last DNS response the MX of ${domain} is another server. The next attempt will query DNS again`;
    return { outcome: 'transient', reply: withNote(outcome.reply, again), scope: 'message' };
  }
  return { ...outcome, reply: note === null ? outcome.reply : withNote(outcome.reply, note) };
}

/**
 * The reply with a note. The fields are copied one by one, because an SMTP reply computes its dialogue in a getter, which spreading would
 * lose.
 */
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
