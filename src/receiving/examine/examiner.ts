/**
 * Checks whether an incoming message is genuine and how likely it is spam. A process has one examiner. The result for a message is the same
 * for all its recipients, except for the part of the spam verdict that a project has learned.
 */
import * as clock from '../../model/clock.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { examinations, examinationDuration, rspamdChecks } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { writeAuthenticationResults } from '../authenticate/authentication-results.ts';
import { headerEnd } from '../authenticate/fields.ts';
import { LIMITS } from '../authenticate/limits.ts';
import type { Blocklists } from '../blocklists/blocklists.ts';
import type { RoutedMailbox } from '../route/find-mailboxes.ts';
import type { ComparedMessage, Learned } from '../spam/learned.ts';
import type { OwnDomains } from '../spam/own-domains.ts';
import type { Rspamd } from '../spam/rspamd.ts';
import { domainFeaturesOf } from '../spam/features.ts';
import type { SpamFindings } from '../spam/score.ts';
import { checkSenders, type CheckedSenders } from '../spam/senders.ts';
import { TIMINGS as SPAM_TIMINGS } from '../spam/timings.ts';
import { type SpamReason, type SpamVerdict, verdictOf } from '../spam/verdict.ts';
import { ExaminingThread } from './examining-thread.ts';
import type { ExaminedFile, Findings, ThreadOptions } from './question.ts';
import type { TIMINGS } from './timings.ts';

/** A mailbox for which a message is judged. */
export type JudgedMailbox = Pick<RoutedMailbox, 'projectId' | 'mailboxId' | 'spamLevel'>;

export interface Examination {
  /** Whether the header is longer than `LIMITS.headerOctets`. If so, the message must be rejected: not all of its header was examined. */
  readonly isHeaderTooLong: boolean;
  readonly authentication: Authentication;
  /** The result of `hashBody` for the body; null if the message could not be examined. */
  readonly bodyHash: Buffer | null;
  /** The first 50 attachments; empty if the message could not be examined. */
  readonly files: readonly ExaminedFile[];
  /**
   * Reads what these mailboxes have learned, and returns a function with the verdict for each of them. Never rejects: while the database is
   * unavailable, everything that was learned is ignored.
   */
  verdictsFor(mailboxes: readonly JudgedMailbox[]): Promise<(mailbox: JudgedMailbox) => SpamVerdict>;
}

export interface ExaminerOptions extends ThreadOptions {
  learned: Pick<Learned, 'reasonsFor' | 'reasonsForSenders'>;
  /** Absent if mail in the name of our domains needs no check. */
  ownDomains?: Pick<OwnDomains, 'reasonsFor'>;
  rspamd: Pick<Rspamd, 'check'> | null;
  /** Absent if no list is configured, or if rspamd queries lists itself. */
  blocklists?: Pick<Blocklists, 'start'> | undefined;
  logger: { warn(fields: object, message: string): void };
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/** The size in octets above which a message is examined in a second thread, so that small messages do not wait for large ones. */
const LARGE = 524_288;
/**
 * The maximum total octets of large messages that are examined at once. Attack: if large messages were examined one at a time, each would
 * wait for the DNS look-ups of all earlier messages, and an attacker's name servers can delay each message by ten seconds.
 */
const LARGE_OCTETS_AT_ONCE = 64 * 1_048_576;
/** The maximum number of small messages that are examined at once. It is high, because a message mostly waits for DNS look-ups. */
const AT_ONCE = 400;

export class Examiner implements AsyncDisposable {
  readonly #options: ExaminerOptions;
  readonly #small: ExaminingThread;
  readonly #large: ExaminingThread;
  readonly #smallSlots = new Semaphore(AT_ONCE);
  readonly #largeSlots = new Semaphore(LARGE_OCTETS_AT_ONCE);
  /** The `performance.now()` until which rspamd is not queried after a failure. */
  #rspamdRestsUntilMs = 0;

  constructor(options: ExaminerOptions) {
    this.#options = options;
    const { hostname, dns, sealers, timings } = options;
    this.#small = new ExaminingThread({ hostname, dns, sealers }, timings);
    this.#large = new ExaminingThread({ hostname, dns, sealers }, timings);
  }

  /** Never rejects: for a message that could not be examined, the unknown results are `temperror` and there are no spam reasons. */
  async examine(arrival: Arrival): Promise<Examination> {
    const startedMs = performance.now();
    const listedFor = this.#options.blocklists?.start(arrival);
    const found = await this.#find(arrival);
    const {
      authentication,
      spam: signs,
      files,
      bodyHash,
      linkDomains,
    } = found ?? {
      authentication: this.#unknown(arrival),
      spam: NO_SIGNS,
      files: [],
      bodyHash: null,
      linkDomains: [],
    };
    const listed = (await listedFor?.(linkDomains)) ?? [];
    const spam = { ...signs, reasons: [...signs.reasons, ...listed] };
    const rspamdVerdict = await this.#queryRspamd(arrival, authentication);
    examinationDuration.observe((performance.now() - startedMs) / 1_000);
    examinations.inc({ dmarc: authentication.dmarc.result });
    const senders = checkSenders(spam, authentication);
    const compared = {
      ...spam,
      domains: domainFeaturesOf({ list: spam.list, isOwn: arrival.isOwn }, senders),
    };
    // The same for all mailboxes of the message.
    let ofOwnDomains: Promise<readonly SpamReason[]> | null = null;
    const ownDomains = () =>
      (ofOwnDomains ??=
        this.#options.ownDomains?.reasonsFor(arrival, senders, authentication) ?? Promise.resolve([]));
    return {
      isHeaderTooLong: headerEnd(arrival.raw) > LIMITS.headerOctets,
      authentication,
      files,
      bodyHash: bodyHash === null ? null : Buffer.from(bodyHash),
      verdictsFor: async (mailboxes) => {
        const learned = rspamdVerdict === null ? await this.#learned(mailboxes, compared) : NOTHING;
        const ofSenders = await this.#senders(mailboxes, senders, ownDomains);
        return ({ mailboxId, spamLevel }) => {
          const known = ofSenders.get(mailboxId) ?? [];
          if (rspamdVerdict === null)
            return verdictOf([...spam.reasons, ...(learned.get(mailboxId) ?? []), ...known], spamLevel);
          const verdict = verdictOf([...rspamdVerdict.reasons, ...known], spamLevel);
          // The score of rspamd includes symbols that are not listed.
          const added = verdictOf(known, spamLevel).score;
          return { ...verdict, score: Math.round((rspamdVerdict.score + added) * 10) / 10 };
        };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#small[Symbol.asyncDispose](), this.#large[Symbol.asyncDispose]()]);
  }

  async #find({ raw, ...client }: Arrival): Promise<Findings | null> {
    const isLarge = raw.length > LARGE;
    const thread = isLarge ? this.#large : this.#small;
    const examine = () => thread.examine(raw, { ...client, nowMs: clock.nowMs() });
    return isLarge ? this.#largeSlots.run(examine, raw.length) : this.#smallSlots.run(examine);
  }

  async #queryRspamd(arrival: Arrival, authentication: Authentication): Promise<SpamVerdict | null> {
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

  async #learned(mailboxes: readonly JudgedMailbox[], message: ComparedMessage): Promise<ReasonsByMailbox> {
    return this.#byProject(mailboxes, (projectId, mailboxIds) =>
      this.#options.learned.reasonsFor(projectId, mailboxIds, message),
    );
  }

  async #senders(
    mailboxes: readonly JudgedMailbox[],
    senders: CheckedSenders,
    ownDomains: () => Promise<readonly SpamReason[]>,
  ): Promise<ReasonsByMailbox> {
    return this.#byProject(mailboxes, async (projectId, mailboxIds) => {
      const reasons = await this.#options.learned.reasonsForSenders(projectId, mailboxIds, senders);
      const found = new Map<string, readonly SpamReason[]>();
      for (const id of mailboxIds) {
        const reason = reasons.get(id);
        // A mailing list that the mailbox knows may change messages, so that they no longer prove their author.
        found.set(id, reason === undefined ? await ownDomains() : [reason]);
      }
      return found;
    });
  }

  /** One project after another: a message is rarely for several. What cannot be read counts for nothing. */
  async #byProject(
    mailboxes: readonly JudgedMailbox[],
    read: (projectId: string, mailboxIds: readonly string[]) => Promise<ReasonsByMailbox>,
  ): Promise<ReasonsByMailbox> {
    const all = new Map<string, readonly SpamReason[]>();
    for (const [projectId, own] of Map.groupBy(mailboxes, (mailbox) => mailbox.projectId)) {
      try {
        const found = await read(
          projectId,
          own.map(({ mailboxId }) => mailboxId),
        );
        for (const [mailboxId, reasons] of found) all.set(mailboxId, reasons);
      } catch {
        // The database is unavailable.
      }
    }
    return all;
  }

  #unknown(arrival: Arrival): Authentication {
    const results = UNKNOWN;
    return { ...results, header: writeAuthenticationResults(this.#options.hostname, arrival, results, null) };
  }
}

type ReasonsByMailbox = ReadonlyMap<string, readonly SpamReason[]>;

const NOTHING: ReasonsByMailbox = new Map();

const NO_SIGNS: SpamFindings = {
  reasons: [],
  tokens: [],
  features: [],
  readsWanted: false,
  author: '',
  list: '',
};

const UNKNOWN: Omit<Authentication, 'header'> = {
  spf: { result: 'temperror', domain: '' },
  dkim: [],
  dmarc: { result: 'temperror', domain: null, published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'temperror', name: null },
  policy: 'none',
};
