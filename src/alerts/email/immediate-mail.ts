/**
 * Mail that is sent at once by the process that needs it, without the queue and its workers, because the mail may report that the queue is
 * stuck. Nothing about it is stored: the caller retries, with the same id, and no bounce is returned.
 */
import { Semaphore } from '../../concurrency/semaphore.ts';
import { within } from '../../concurrency/within.ts';
import type { Database } from '../../db/database.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { timeOf } from '../../model/ids.ts';
import { signatureOf } from '../../sending/deliver/compose-submission.ts';
import type { Outcome, OutboundMessage, Provider } from '../../sending/deliver/provider.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import type { ServiceContent, ServiceMail } from '../../sending/service-mail/service-mail.ts';
import { TIMINGS } from '../timings.ts';

export interface ImmediateMessage extends ServiceContent {
  /** UUIDv7. A retry with the same id has the same Message-ID, and a mailbox of this installation stores it only once. */
  id: string;
}

/**
 * `delivered`: a server or a mailbox accepted the message. `temporary`: a retry may succeed; the message may have been delivered.
 * `permanent`: it was rejected. `no-mailbox`: it was rejected because the address does not exist, so nothing should be sent there again.
 */
export interface ImmediateOutcome {
  outcome: 'delivered' | 'temporary' | 'permanent' | 'no-mailbox';
  /** The reply of the server or the failure, for people: one line of at most 300 characters. */
  reply: string;
}

export interface ImmediateMailOptions {
  database: Database;
  mail: Pick<ServiceMail, 'compose' | 'senderFault'>;
  keyring: Pick<DkimKeyring, 'keysFor'>;
  /** Called for the first message. Null: this process has no provider. */
  openProvider(): Promise<Provider | null>;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'sendMs'>;
}

/** The maximum number of messages in flight, so that mail to slow servers occupies few connections. */
const MAX_IN_FLIGHT = 4;
const MAX_REPLY = 300;

const NO_PROVIDER: ImmediateOutcome = {
  outcome: 'temporary',
  reply: 'POSTHORN_PROVIDER is not set in the process that sends alerts',
};
const TOO_LATE: ImmediateOutcome = { outcome: 'temporary', reply: 'The mail server did not respond in time' };

export class ImmediateMail {
  readonly #options: ImmediateMailOptions;
  readonly #deadlineMs: number;
  readonly #inFlight = new Semaphore(MAX_IN_FLIGHT);
  #provider: Promise<Provider | null> | null = null;

  constructor(options: ImmediateMailOptions) {
    this.#options = options;
    this.#deadlineMs = (options.timings ?? TIMINGS).sendMs;
  }

  /**
   * Sends a message through the configured provider, or stores it in the mailbox if the recipient has one here. Settles within a minute.
   * Rejects if the database fails, or if a key or the provider is invalid.
   */
  async send(message: ImmediateMessage): Promise<ImmediateOutcome> {
    const endsAtMs = performance.now() + this.#deadlineMs;
    // A timer may run a fraction of a millisecond early. What `send` has reported as too late must not be delivered after all.
    let isReported = false;
    const isInTime = () => !isReported && performance.now() < endsAtMs;
    const sent = this.#inFlight
      .run(async () => (isInTime() ? this.#send(message, isInTime) : TOO_LATE))
      .then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
    const late = () => {
      isReported = true;
      return TOO_LATE;
    };
    return (await within(this.#deadlineMs, sent, late))();
  }

  async #send(message: ImmediateMessage, isInTime: () => boolean): Promise<ImmediateOutcome> {
    const { database, mail, keyring } = this.#options;
    const fault = await mail.senderFault(database);
    if (fault !== null) return { outcome: 'temporary', reply: oneLine(fault) };
    const provider = await this.#openProvider();
    if (provider === null) return NO_PROVIDER;
    const { from, to, messageId, bytes, isUtf8 } = await mail.compose(database, message.id, message);
    const keys = await keyring.keysFor(HOSTED_PROJECT_ID, from.domain);
    if (keys.length === 0)
      return { outcome: 'temporary', reply: oneLine(`No active DKIM key signs mail from ${from.domain}`) };
    const signature = await signatureOf(bytes, keys, {
      timestamp: Math.floor(timeOf(message.id).getTime() / 1_000),
      except: provider.overwrites ?? [],
      bodyHash: null,
    });
    const outcome = await provider.send({
      projectId: HOSTED_PROJECT_ID,
      emailId: message.id,
      mailFrom: '',
      rcptTo: to.address,
      messageId,
      data: Buffer.concat([Buffer.from(signature, 'latin1'), bytes]),
      smtputf8: isUtf8,
      isService: true,
      attempt: 1,
      mayCommit: isInTime,
    } satisfies OutboundMessage);
    return summaryOf(outcome, provider.isFinal);
  }

  /** If opening fails, the next message tries again. */
  #openProvider(): Promise<Provider | null> {
    this.#provider ??= this.#options.openProvider().catch((error: unknown) => {
      this.#provider = null;
      throw error;
    });
    return this.#provider;
  }
}

function summaryOf(outcome: Outcome, isFinal: boolean): ImmediateOutcome {
  if (outcome.outcome === 'abandoned') return TOO_LATE;
  const { replyCode, enhancedCode, text } = outcome.reply;
  const reply = oneLine([replyCode, enhancedCode, text].filter((part) => part !== null).join(' '));
  if (outcome.outcome === 'accepted') return { outcome: 'delivered', reply };
  if (outcome.outcome === 'transient') return { outcome: 'temporary', reply };
  // A smart host also rejects mail for reasons of its own, so its reply proves nothing about the address.
  const isKnown = outcome.outcome === 'permanent' && (isFinal || outcome.isLocal === true);
  return { outcome: isKnown && classifyReply(outcome.reply).suppress ? 'no-mailbox' : 'permanent', reply };
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY)
    .toWellFormed();
}
