/**
 * Whether a message that comes in is genuine, and how much it looks like spam. One examiner serves a process; what it finds is the
 * same for all recipients, but for what a project has learned.
 */
import * as clock from '../../model/clock.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { examinations, examinationDuration, rspamdChecks } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { writeAuthenticationResults } from '../authenticate/authentication-results.ts';
import { headerEnd } from '../authenticate/fields.ts';
import { LIMITS } from '../authenticate/limits.ts';
import type { Bayes } from '../spam/bayes.ts';
import type { Rspamd } from '../spam/rspamd.ts';
import { type SpamFindings, verdictOf } from '../spam/score.ts';
import { TIMINGS as SPAM_TIMINGS } from '../spam/timings.ts';
import type { SpamVerdict } from '../spam/verdict.ts';
import { ExaminingThread } from './examining-thread.ts';
import type { ExaminedFile, Findings, ThreadOptions } from './question.ts';
import type { TIMINGS } from './timings.ts';

export interface Examination {
  /** Its header is longer than `LIMITS.headerOctets`: it must be refused, for not all of it was looked at. */
  readonly isHeaderTooLong: boolean;
  readonly authentication: Authentication;
  /** `hashBody` of its body; null where the message could not be examined. */
  readonly bodyHash: Buffer | null;
  /** What is attached: the first 50, and none where the message could not be examined. */
  readonly files: readonly ExaminedFile[];
  /** What it is for one project. Never rejects: what a project has learned is left out while the database is away. */
  verdictFor(projectId: string): Promise<SpamVerdict>;
}

export interface ExaminerOptions extends ThreadOptions {
  bayes: Pick<Bayes, 'reasonsFor'>;
  rspamd: Pick<Rspamd, 'check'> | null;
  logger: { warn(fields: object, message: string): void };
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/** A larger message goes to another thread: small ones do not wait for it. */
const LARGE = 524_288;
/**
 * The octets of large ones that are examined at once. Attack: one at a time, each would wait for the name servers of all before it,
 * and those may be made to say nothing for ten seconds.
 */
const LARGE_OCTETS_AT_ONCE = 64 * 1_048_576;
/** Of the small ones, each of which waits for its look-ups most of the time. */
const AT_ONCE = 400;

export class Examiner implements AsyncDisposable {
  readonly #options: ExaminerOptions;
  readonly #small: ExaminingThread;
  readonly #large: ExaminingThread;
  readonly #smallTurns = new Semaphore(AT_ONCE);
  readonly #largeTurns = new Semaphore(LARGE_OCTETS_AT_ONCE);
  /** `performance.now()` until which rspamd is left alone. */
  #rspamdRestsUntilMs = 0;

  constructor(options: ExaminerOptions) {
    this.#options = options;
    const { hostname, dns, sealers, timings } = options;
    this.#small = new ExaminingThread({ hostname, dns, sealers }, timings);
    this.#large = new ExaminingThread({ hostname, dns, sealers }, timings);
  }

  /** Never rejects: a message that could not be examined has `temperror` in all that could not be found out, and no reasons. */
  async examine(arrival: Arrival): Promise<Examination> {
    const startedMs = performance.now();
    const found = await this.#find(arrival);
    const { authentication, spam, files, bodyHash } = found ?? {
      authentication: this.#unknown(arrival),
      spam: NO_SIGNS,
      files: [],
      bodyHash: null,
    };
    const foreign = await this.#askRspamd(arrival, authentication);
    examinationDuration.observe((performance.now() - startedMs) / 1_000);
    examinations.inc({ dmarc: authentication.dmarc.result });
    return {
      isHeaderTooLong: headerEnd(arrival.raw) > LIMITS.headerOctets,
      authentication,
      files,
      bodyHash: bodyHash === null ? null : Buffer.from(bodyHash),
      verdictFor: async (projectId) => foreign ?? (await this.#ownVerdict(projectId, spam)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#small[Symbol.asyncDispose](), this.#large[Symbol.asyncDispose]()]);
  }

  async #find({ raw, ...client }: Arrival): Promise<Findings | null> {
    const isLarge = raw.length > LARGE;
    const thread = isLarge ? this.#large : this.#small;
    const ask = () => thread.ask(raw, { ...client, nowMs: clock.nowMs() });
    return isLarge ? this.#largeTurns.run(ask, raw.length) : this.#smallTurns.run(ask);
  }

  async #askRspamd(arrival: Arrival, authentication: Authentication): Promise<SpamVerdict | null> {
    const { rspamd, logger } = this.#options;
    if (rspamd === null) return null;
    const isResting = performance.now() < this.#rspamdRestsUntilMs;
    const verdict = isResting ? null : await rspamd.check(arrival, authentication);
    rspamdChecks.inc({ result: verdict === null ? 'fallback' : 'answered' });
    if (verdict === null && !isResting) {
      this.#rspamdRestsUntilMs = performance.now() + SPAM_TIMINGS.rspamdRestMs;
      logger.warn({}, LOG_MESSAGES.rspamdSilent);
    }
    return verdict;
  }

  async #ownVerdict(projectId: string, { reasons, tokens }: SpamFindings): Promise<SpamVerdict> {
    try {
      return verdictOf([...reasons, ...(await this.#options.bayes.reasonsFor(projectId, tokens))]);
    } catch {
      return verdictOf(reasons);
    }
  }

  #unknown(arrival: Arrival): Authentication {
    const results = UNKNOWN;
    return { ...results, header: writeAuthenticationResults(this.#options.hostname, arrival, results, null) };
  }
}

const NO_SIGNS: SpamFindings = { reasons: [], tokens: [] };

const UNKNOWN: Omit<Authentication, 'header'> = {
  spf: { result: 'temperror', domain: '' },
  dkim: [],
  dmarc: { result: 'temperror', domain: null, published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'temperror', name: null },
  policy: 'none',
};
