/** One blocklist (RFC 5782): its answers, and whether they can be trusted. */
import { randomBytes } from 'node:crypto';
import type { DnsAnswer } from '../../net/dns.ts';
import { blocklistAnswers } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { isRefusal, type ListSettings, pointsOf } from './list-settings.ts';
import { TIMINGS } from './timings.ts';

/** Looks up IPv4 addresses. Never rejects. */
export type LookUpAddress = (name: string) => Promise<DnsAnswer<string>>;

export interface BlocklistOptions {
  settings: ListSettings;
  lookUp: LookUpAddress;
  logger: { warn(fields: object, message: string): void };
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'testMs' | 'restMs' | 'warnMs'>;
}

/**
 * How many names in a row may have a failed look-up before the list rests. A lost packet must not switch a list off, although its failure is
 * cached for some seconds and concerns all messages of one client. And a list whose answers all come too late must not slow down mail.
 */
const MAX_FAILURES = 3;

export class Blocklist {
  readonly settings: ListSettings;
  readonly #options: Required<BlocklistOptions>;
  /** The latest test of the list, and the `performance.now()` until which its result is used. */
  #test: { failure: Promise<TestFailure | null>; untilMs: number } | null = null;
  /** Whether the list passed its latest complete test. */
  #isTrusted = false;
  readonly #failedNames = new Set<string>();
  /** Whether the list has failed and has not passed a test since. */
  #hasFailed = false;
  #restsUntilMs = 0;
  #warnsFromMs = 0;

  constructor({ timings = TIMINGS, ...options }: BlocklistOptions) {
    this.settings = options.settings;
    this.#options = { ...options, timings };
  }

  /**
   * The points for a name, 0 if it is not listed. A list that fails, refuses the query or does not pass its test counts nothing.
   * Never rejects.
   * @param labels the reversed address, or the domain
   */
  async pointsFor(labels: string): Promise<number> {
    if (performance.now() < this.#restsUntilMs) return 0;
    if (this.#hasFailed) {
      void this.#recover();
      return 0;
    }
    const { settings, lookUp } = this.#options;
    const [answer, failure] = await Promise.all([lookUp(`${labels}.${settings.zone}`), this.#testResult()]);
    const refusal = answer.outcome === 'found' ? refusalIn(answer.records) : null;
    // A lost packet of the test says no more than one of a message, if the list passed its test before.
    const isLost = failure !== null && failure.isLookUp && this.#isTrusted;
    if ((failure !== null && !isLost) || refusal !== null) {
      this.#count('failed');
      this.#rest(refusal ?? failure?.reason ?? '');
      return 0;
    }
    if (isLost) this.#test = null;
    if (isLost || answer.outcome === 'failed') {
      this.#count('failed');
      const reason = answer.outcome === 'failed' ? `lookups fail: ${answer.reason}` : failure?.reason;
      if (this.#failedNames.add(labels).size >= MAX_FAILURES) this.#rest(reason ?? '');
      return 0;
    }
    this.#isTrusted = true;
    this.#failedNames.clear();
    const points = answer.outcome === 'found' ? pointsOf(settings, answer.records) : 0;
    this.#count(points > 0 ? 'listed' : 'not_listed');
    return points;
  }

  #testResult(): Promise<TestFailure | null> {
    const nowMs = performance.now();
    if (this.#test === null || nowMs >= this.#test.untilMs) {
      const { settings, lookUp, timings } = this.#options;
      this.#test = { failure: testList(settings, lookUp), untilMs: nowMs + timings.testMs };
    }
    return this.#test.failure;
  }

  /** Tests the list after its rest. No message waits for the test, so a list that never answers delays no further mail. */
  async #recover(): Promise<void> {
    const failure = await this.#testResult();
    if (failure === null) {
      this.#hasFailed = false;
      return;
    }
    this.#count('failed');
    this.#rest(failure.reason);
  }

  /** Stops querying the list for some minutes. */
  #rest(reason: string): void {
    const { settings, logger, timings } = this.#options;
    const nowMs = performance.now();
    // Answers to queries that were sent before the rest began do not extend it.
    if (nowMs < this.#restsUntilMs) return;
    this.#restsUntilMs = nowMs + timings.restMs;
    this.#hasFailed = true;
    this.#isTrusted = false;
    this.#failedNames.clear();
    this.#test = null;
    if (nowMs < this.#warnsFromMs) return;
    this.#warnsFromMs = nowMs + timings.warnMs;
    logger.warn({ list: settings.name, reason }, LOG_MESSAGES.blocklistFails);
  }

  #count(result: 'listed' | 'not_listed' | 'failed'): void {
    blocklistAnswers.inc({ list: this.#options.settings.name, result });
  }
}

/** Why a list cannot be used. */
interface TestFailure {
  /** Without the key of the list. */
  reason: string;
  /** Whether a look-up failed, so that nothing is known about the answers of the list. */
  isLookUp: boolean;
}

/**
 * Looks up the entry that a list must contain and the ones that it must not contain (RFC 5782, section 5). Attack: the domain of a list that
 * was closed is bought and answers every query, so that all mail seems to be listed. One of the names is random, because resolvers cache for
 * hours that a fixed name is not listed.
 * @returns null if the list can be used. Never rejects
 */
export async function testList(
  { zone, listed, unlisted }: Pick<ListSettings, 'zone' | 'listed' | 'unlisted'>,
  lookUp: LookUpAddress,
): Promise<TestFailure | null> {
  const [positive, ...negative] = await Promise.all([
    lookUp(`${listed}.${zone}`),
    lookUp(`${unlisted}.${zone}`),
    lookUp(`${randomBytes(8).toString('hex')}.${unlisted}.${zone}`),
  ]);
  const fails = (reason: string): TestFailure => ({ reason, isLookUp: false });
  for (const answer of [positive, ...negative]) {
    const refusal = answer.outcome === 'found' ? refusalIn(answer.records) : null;
    if (refusal !== null) return fails(refusal);
  }
  if (negative.some(({ outcome }) => outcome === 'found'))
    return fails(`it lists ${unlisted}, which must never be listed`);
  if (positive.outcome === 'none') return fails(`it does not list its test entry ${listed}`);
  for (const answer of [positive, ...negative])
    if (answer.outcome === 'failed') return { reason: `lookups fail: ${answer.reason}`, isLookUp: true };
  return null;
}

function refusalIn(records: readonly string[]): string | null {
  const refusal = records.find(isRefusal);
  return refusal === undefined ? null : `it answers ${refusal}, which is not a listing`;
}
