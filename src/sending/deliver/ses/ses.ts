/** A provider that sends all mail through Amazon SES (API v2). docs/operate/ses.md describes the effect of each response. */
import { isAscii } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerShare } from '../../../concurrency/share.ts';
import { doubtful } from '../../../model/deferral.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { printable } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, ProviderDialogueLine, OutboundMessage, Outcome, Provider } from '../provider.ts';
import { judge, readAccount, type SesResponse, type SesVerdict } from './ses-response.ts';
import { returnTags } from './return-tag.ts';
import { SendRate } from './send-rate.ts';
import { SEND_PATH, SesClient, type SesClientOptions, type SesResult } from './ses-client.ts';
import { TIMINGS } from './timings.ts';

export interface SesOptions extends Omit<SesClientOptions, 'maxConnections'> {
  configurationSet: string | null;
  logger: Logger;
  /** Returns this worker's share of the account's rate. */
  share: () => WorkerShare;
}

const MAX_CONNECTIONS = 100;
/**
 * The maximum amount of mail in flight (being sent, waiting for a slot, or being recorded), in seconds at the current rate. More mail in
 * flight would delay mail from other projects.
 */
const SECONDS_IN_FLIGHT = 1;
const MAX_IN_FLIGHT = 400;
/** Verdicts on problems that only the operator can fix. */
const OPERATOR_PROBLEMS: ReadonlySet<SesVerdict> = new Set(['not-yet', 'quota', 'account', 'access']);
const MAX_TEXT = 1_000;

export class Ses implements Provider {
  readonly isFinal = false;
  readonly destinations = null;
  readonly overwrites = ['date', 'message-id'];
  readonly #options: SesOptions;
  readonly #client: SesClient;
  readonly #rate: SendRate;
  readonly #timer: NodeJS.Timeout;
  /** Whether the account's rate has been queried, successfully or not. */
  #isReady = false;
  #backoffMs = TIMINGS.firstBackoffMs;
  /** When sending may resume. Null unless SES is known to be unavailable. */
  #closedUntilMs: number | null = null;
  /** When the next warning may be logged, by verdict. */
  readonly #warnings = new Map<SesVerdict, number>();

  constructor(options: SesOptions) {
    this.#options = options;
    this.#rate = new SendRate(options.share);
    this.#client = new SesClient({ ...options, maxConnections: MAX_CONNECTIONS });
    this.#timer = setInterval(() => void this.#askAccount(), TIMINGS.accountEveryMs);
    this.#timer.unref();
    void this.#askAccount();
  }

  get capacity(): number {
    if (!this.#isReady || !this.#rate.hasPart) return 0;
    if (this.#closedUntilMs !== null) return performance.now() < this.#closedUntilMs ? 0 : 1;
    return Math.min(Math.max(Math.ceil(this.#rate.perSecond * SECONDS_IN_FLIGHT), 1), MAX_IN_FLIGHT);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.close();
  }

  async send(message: OutboundMessage): Promise<Outcome> {
    if (message.smtputf8 || !isAscii(Buffer.from(message.rcptTo))) {
      const text = 'Amazon SES does not support non-ASCII addresses';
      return { outcome: 'permanent', reply: this.#reply(text, null, '5.6.7') };
    }
    await this.#waitForRate();
    if (this.#closedUntilMs !== null && performance.now() < this.#closedUntilMs)
      return this.#later(this.#reply('Amazon SES is not accepting mail at the moment', null));
    const startedMs = performance.now();
    const body = this.#compose(message);
    const result = await this.#client.sendEmail(body, message.mayCommit);
    const request = `POST ${this.#client.origin}${SEND_PATH}, ${body.length} octets`;
    const reply = (by: ProviderDialogueLine['by'], said: string): AttemptReply => {
      const text = printable(said, MAX_TEXT);
      const atMs = Math.round(performance.now() - startedMs);
      return this.#reply(text, [
        { atMs: 0, by: 'client', text: request },
        { atMs, by, text },
      ]);
    };
    switch (result.kind) {
      case 'abandoned':
        return { outcome: 'abandoned' };
      case 'unsent':
        this.#close(null);
        return this.#later(reply('note', `No connection to Amazon SES: ${result.why}`));
      case 'lost': {
        const text = doubtful('Amazon SES accepted the message', result.why);
        return { outcome: 'transient', scope: 'message', reply: reply('note', text) };
      }
      case 'answer': {
        const verdict = judge(result);
        return this.#conclude(verdict, result, reply('server', timelineText(verdict, result)));
      }
    }
  }

  /** Waits until the message may be sent. */
  async #waitForRate(): Promise<void> {
    for (;;) {
      const slot = this.#rate.take(performance.now());
      if (slot.waitMs > 0) await sleep(slot.waitMs);
      if (!this.#rate.isVoid(slot)) return;
    }
  }

  #compose({ data, mailFrom, rcptTo, emailId }: OutboundMessage): Buffer {
    const { configurationSet } = this.#options;
    // FromEmailAddress is left out, because SES would rewrite the From field, which is signed.
    const request = {
      Content: { Raw: { Data: data.toString('base64') } },
      Destination: { ToAddresses: [rcptTo] },
      // Automatic replies have the null reverse-path, so that no reports about them are sent. SES rejects an empty feedback address.
      ...(mailFrom === '' ? {} : { FeedbackForwardingEmailAddress: mailFrom }),
      EmailTags: returnTags(mailFrom, emailId),
      ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet }),
    };
    return Buffer.from(JSON.stringify(request));
  }

  #conclude(verdict: SesVerdict, answer: SesResponse, reply: AttemptReply): Outcome {
    this.#warn(verdict, answer);
    switch (verdict) {
      case 'taken':
        this.#open();
        this.#rate.good(performance.now());
        return { outcome: 'accepted', reply, providerMessageId: answer.messageId };
      case 'refused':
        this.#open();
        return { outcome: 'permanent', reply };
      case 'not-yet':
        this.#open();
        return { outcome: 'transient', scope: 'message', reply };
      case 'too-fast':
        this.#open();
        this.#rate.tooFast(performance.now());
        return { outcome: 'transient', scope: 'host', reply, retryAfterMs: TIMINGS.tooFastRetryMs };
      case 'quota':
        this.#close(TIMINGS.quotaMs);
        return { outcome: 'transient', scope: 'host', reply, retryAfterMs: TIMINGS.quotaMs };
      case 'account':
      case 'access':
      case 'away':
        this.#close(null);
        return this.#later(reply);
    }
  }

  #later(reply: AttemptReply): Outcome {
    return { outcome: 'transient', scope: 'host', reply, retryAfterMs: TIMINGS.retryMs };
  }

  /** Called when SES responds to messages. */
  #open(): void {
    this.#closedUntilMs = null;
    this.#backoffMs = TIMINGS.firstBackoffMs;
  }

  /**
   * Pauses sending.
   * @param forMs the pause in milliseconds; null: the backoff, which doubles each time
   */
  #close(forMs: number | null): void {
    const nowMs = performance.now();
    // Other requests in flight get the same response. All of these responses count as one failure.
    if (this.#closedUntilMs !== null && nowMs < this.#closedUntilMs) return;
    this.#closedUntilMs = nowMs + (forMs ?? this.#backoffMs);
    if (forMs === null) this.#backoffMs = Math.min(this.#backoffMs * 2, TIMINGS.lastBackoffMs);
  }

  async #askAccount(): Promise<void> {
    const result = await this.#client.getAccount();
    const isFirst = !this.#isReady;
    this.#isReady = true;
    const account = result.kind === 'answer' && result.status === 200 ? readAccount(result.body) : null;
    if (account !== null) this.#rate.limit = account.maxSendRate;
    if (isFirst && account !== null) this.#options.logger.info(account, LOG_MESSAGES.sesAccount);
    else if (isFirst) this.#options.logger.warn(whyUnknown(result), LOG_MESSAGES.sesRateUnknown);
  }

  /** Logs problems that only the operator can fix, at most once per interval. */
  #warn(verdict: SesVerdict, { status, errorType }: SesResponse): void {
    if (!OPERATOR_PROBLEMS.has(verdict)) return;
    const nowMs = performance.now();
    if (nowMs < (this.#warnings.get(verdict) ?? 0)) return;
    this.#warnings.set(verdict, nowMs + TIMINGS.warnEveryMs);
    this.#options.logger.warn({ status, error: errorType }, LOG_MESSAGES.sesRefuses);
  }

  #reply(
    text: string,
    dialogue: readonly ProviderDialogueLine[] | null,
    enhancedCode: string | null = null,
  ): AttemptReply {
    return {
      // No reply code, because HTTP status codes are not SMTP codes.
      replyCode: null,
      enhancedCode,
      text,
      remoteMta: new URL(this.#client.origin).hostname,
      tls: this.#client.origin.startsWith('https:'),
      dialogue,
    };
  }
}

/** The text for the timeline, which the project can read. It must not contain SES errors about the operator's credentials. */
function timelineText(verdict: SesVerdict, { status, errorType, message, messageId }: SesResponse): string {
  if (messageId !== null) return `${status} ${messageId}`;
  const isAboutAccess = verdict === 'access' || errorType === 'AccessDenied';
  const said = isAboutAccess ? 'Amazon SES denies the service access' : message;
  return [status, errorType, said].filter((part) => part !== null && part !== '').join(' ');
}

function whyUnknown(result: SesResult): { status?: number; error: string | null } {
  if (result.kind === 'answer') return { status: result.status, error: result.errorType };
  return { error: 'why' in result ? result.why : result.kind };
}
