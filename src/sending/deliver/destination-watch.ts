/** Tracks which destinations accept mail. Derives the state from attempts and starts probes of failed destinations. */
import type { ClaimedRow } from '../../queue/claim.ts';
import {
  findDestinations,
  parkUnstarted,
  passOn,
  claimDueDestinations,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import { domainOf, nameOfSender, rejectsAnotherSender } from '../../queue/rejected-senders.ts';
import { DestinationChanges } from './destination-changes.ts';
import { DestinationProbes, type DestinationProbesOptions } from './destination-probes.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { type DestinationAvailability, lastReplyOf } from './destination-state.ts';
import { unparkDue } from './paused-mail.ts';
import type { Job } from './job.ts';
import type { AttemptOf } from './outcome-events.ts';
import type { AttemptReply, Outcome, TransientOutcome } from './provider.ts';
import { RejectedSenders } from './rejected-senders.ts';
import { TIMINGS } from './timings.ts';

const DUE_BACKLOGS = 100;
/** The maximum number of destinations that a worker remembers to have passed on. */
const MAX_PASSED_ON = 1_000;
/** The maximum time that writing a closed destination to the database takes. */
const CLOSING_MS = 4_000;

export interface DestinationWatchOptions extends DestinationProbesOptions {
  /** Whether an owner polls for due destinations and calls `wake`. */
  isPolled?: boolean;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'scanMs'> | undefined;
}

/** Data about an attempt that its outcome does not contain. */
interface Attempted {
  /** When the attempt started, on the clock of `performance.now`. */
  startedMs: number;
  mailFromDomain: string;
  /** The rejected sender that the job probes. */
  probes: Job['probes'] | undefined;
}

/** The closed destination for which a recipient waits without an attempt. */
export interface Wait {
  destination: string;
  delayMs: number;
  reply: AttemptReply;
}

export class DestinationWatch {
  readonly #options: DestinationWatchOptions;
  readonly #scanMs: number;
  #nextScanMs = 0;
  /** Whether destinations may be due. */
  #isWoken = true;
  #scanning: Promise<void> | null = null;
  readonly #senders = new RejectedSenders();
  readonly #changes: DestinationChanges;
  readonly #probes: DestinationProbes;
  /**
   * Destinations that this worker passed on because it has no slot for them. They stay due until a worker with a slot claims them. If this
   * worker claimed them again, the others might never see them as due: all workers poll at the same interval, and one of them polls first.
   */
  readonly #passedOn = new Set<string>();

  constructor(options: DestinationWatchOptions) {
    this.#options = options;
    ({ scanMs: this.#scanMs } = options.timings ?? TIMINGS);
    this.#changes = new DestinationChanges(options, this.#senders);
    this.#probes = new DestinationProbes(options, this.#senders);
  }

  /** Called when a destination may be due. */
  wake(): void {
    this.#nextScanMs = 0;
    this.#isWoken = true;
  }

  /** Starts a check of due destinations if the next check is due. */
  tick(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextScanMs || this.#scanning !== null) return;
    const { database, queues, recorder, isPolled = false } = this.#options;
    this.#nextScanMs = nowMs + this.#scanMs;
    queues.sweep(nowMs);
    this.#senders.sweep((domain) => queues.has(domain));
    if (isPolled && !this.#isWoken && this.#senders.due.length === 0) return;
    this.#isWoken = false;
    this.#scanning = (queues.isOneWay ? unparkDue(database) : this.#scan())
      .catch(recorder.reporter('look at destinations'))
      .finally(() => {
        this.#scanning = null;
      });
  }

  /** Resolves when the running check and the statements that it started have ended. */
  async stop(): Promise<void> {
    await this.#scanning;
    await this.#changes.stop();
  }

  /** Loads the state of destinations from the database. */
  async load(unknown: readonly DestinationQueue[]): Promise<void> {
    const found = await this.#find(unknown);
    for (const queue of unknown) {
      const destination = found.get(queue.destination);
      found.delete(queue.destination);
      if (destination !== undefined && destination.failures > 0) {
        this.#keepClosed(queue, destination);
      } else {
        queue.open();
        if (destination !== undefined) queue.expectBacklog();
      }
    }
    for (const [name, sender] of found)
      if (sender.failures > 0) this.#keepClosed(this.#senders.get(name), sender);
  }

  /** The closed destination that the job waits for, as far as this worker knows. Null if the job may be attempted. */
  waitOf({ probes }: Job, queue: DestinationQueue, senderDomain: string): Wait | null {
    if (queue.state.kind === 'closed') {
      if (probes === undefined) return waitFor(queue);
      this.#postpone(probes, queue.delayMs);
      return waitFor(probes);
    }
    const sender = probes === undefined ? this.#senders.find(queue.destination, senderDomain) : null;
    return sender === null ? null : waitFor(sender);
  }

  /**
   * Updates the state of the destination from an outcome.
   * @returns the closed destination that the row must wait for; null if the row need not wait
   */
  async afterAttempt(
    queue: DestinationQueue,
    outcome: Outcome,
    attempted: Attempted,
  ): Promise<AttemptOf['waitFor']> {
    const { probes, mailFromDomain } = attempted;
    if (outcome.outcome === 'abandoned' || outcome.isLocal === true) {
      if (probes !== undefined) this.#postpone(probes, 0);
      else if (queue.state.kind === 'probing') queue.forget();
      return null;
    }
    const sender = nameOfSender(queue.destination, senderOf(mailFromDomain));
    if (outcome.outcome !== 'transient' || outcome.scope === 'message') {
      if (outcome.outcome !== 'transient' || outcome.reply.replyCode !== null) {
        queue.answered();
        this.#senders.answered(sender);
      }
      // The changes are not awaited, so that the outcome is written as soon as possible.
      if (probes !== undefined) this.#changes.openSender(probes.destination);
      if (queue.state.kind === 'probing') this.#changes.open(queue);
      return null;
    }
    const closed =
      outcome.scope === 'host'
        ? await this.#onUnavailable(queue, outcome, attempted)
        : await this.#onSenderRejected(queue, sender, outcome, attempted);
    return closed && { destination: closed.destination, delayMs: closed.delayMs, wasAttempted: true };
  }

  /** @returns the closed destination that the row waits for; null if the row need not wait */
  async #onUnavailable(
    queue: DestinationQueue,
    outcome: TransientOutcome,
    { startedMs, mailFromDomain, probes }: Attempted,
  ): Promise<DestinationAvailability | null> {
    const acceptedOthers = queue.hasAnsweredSince(startedMs);
    if (!acceptedOthers && queue.state.kind !== 'closed')
      await this.#changes.close(queue, outcome, mailFromDomain);
    if (probes !== undefined) {
      this.#postpone(probes, queue.delayMs);
      return probes;
    }
    // The destination accepted other mail after this attempt had started, so only this message waits.
    return acceptedOthers ? null : queue;
  }

  /** @returns the rejected sender that the row waits for; null if the row need not wait */
  async #onSenderRejected(
    queue: DestinationQueue,
    name: string,
    outcome: TransientOutcome,
    { startedMs, mailFromDomain, probes }: Attempted,
  ): Promise<DestinationAvailability | null> {
    // The destination accepted other mail from the sender after this attempt had started.
    if (probes === undefined && this.#senders.hasAnsweredSince(name, startedMs)) return null;
    const sender = this.#senders.get(name);
    if (sender.state.kind === 'closed') return sender;
    const isChange = sender.state.kind !== 'probing';
    await this.#changes.close(sender, outcome, mailFromDomain);
    const concernsAll = isChange && (await this.#concernsAll(queue, name));
    // Another attempt may have closed the destination in the meantime.
    if (concernsAll && queue.unavailable?.kind !== 'closed')
      await this.#changes.close(queue, outcome, mailFromDomain);
    return sender;
  }

  /** Whether the destination now rejects so many senders that it seems to accept no mail at all. */
  async #concernsAll(queue: DestinationQueue, name: string): Promise<boolean> {
    const { database, recorder } = this.#options;
    const { state } = queue;
    if (state.kind === 'closed') return false;
    if (state.kind === 'probing') return this.#probes.refusesAnother(queue, state.failures);
    // Only senders whose rejections began after the destination last accepted a message are considered.
    const silentMs = queue.silentMs(performance.now());
    const refuses = await rejectsAnotherSender(database, name, silentMs).catch(
      recorder.reporter('look at refused senders'),
    );
    return refuses === true;
  }

  /** Parks the row, so that a worker that may use the destination sends it. */
  async leaveToOthers({ probes }: Job, queue: DestinationQueue, row: ClaimedRow): Promise<void> {
    const { database, lease, orDoubt } = this.#options;
    const probed = probes ?? (queue.state.kind === 'probing' ? queue : null);
    if (probes !== undefined) this.#postpone(probes, 0);
    else if (probed !== null) queue.forget();
    const name = (probed ?? queue).destination;
    await orDoubt(() => parkUnstarted(database, lease.leaseId, [row], name, { isForOthers: true }));
    if (probed !== null) await this.#passOn([name]);
  }

  async #passOn(names: readonly string[]): Promise<void> {
    for (const name of names) this.#passedOn.add(name);
    // Beyond the limit, the oldest are forgotten. They may be claimed once more, in the order in which they became due.
    for (const name of this.#passedOn) {
      if (this.#passedOn.size <= MAX_PASSED_ON) break;
      this.#passedOn.delete(name);
    }
    await passOn(this.#options.database, names);
  }

  async #scan(): Promise<void> {
    const { database, queues, onChange } = this.#options;
    const probes = this.#probes.capacity;
    for (const name of this.#passedOn) if (queues.hasSlot(domainOf(name))) this.#passedOn.delete(name);
    const limits = { backlogs: DUE_BACKLOGS, failing: probes };
    const due = await claimDueDestinations(database, limits, [...this.#passedOn]);
    const failing = due.filter(({ failures }) => failures > 0);
    const { mine = [], others = [] } = Object.groupBy(due, (destination) =>
      isReopened(destination) || queues.hasSlot(domainOf(destination.name)) ? 'mine' : 'others',
    );
    if (others.length > 0) await this.#passOn(others.map(({ name }) => name));
    for (const destination of mine) {
      const { name, failures } = destination;
      if (failures > 0) void this.#probes.begin(destination);
      else if (isReopened(destination)) this.#changes.rejoin(name);
      else markOpen(queues.get(name));
    }
    await this.#reviewSenders();
    const isMore = due.length - failing.length === DUE_BACKLOGS || (probes > 0 && failing.length === probes);
    // Not at once if all were for other workers, which need time to claim them.
    if (isMore && mine.length > 0) this.wake();
    onChange();
  }

  /** Reloads rejected senders whose delay is over, because another worker may have probed them. */
  async #reviewSenders(): Promise<void> {
    const { due } = this.#senders;
    if (due.length === 0) return;
    const found = await this.#find(due);
    for (const sender of due) {
      const name = sender.destination;
      const destination = found.get(name);
      if (destination === undefined || destination.failures === 0) this.#senders.delete(name);
      else this.#keepClosed(sender, destination);
    }
  }

  /** Reads the rows of the given destinations, and of the senders that their domains reject, by name. */
  async #find(destinations: readonly DestinationAvailability[]): Promise<Map<string, WaitingDestination>> {
    const domains = new Set(destinations.map(({ destination }) => domainOf(destination)));
    const found = await findDestinations(this.#options.database, [...domains]);
    return new Map(found.map((destination) => [destination.name, destination]));
  }

  /** Closes a destination that fails according to the database. When its delay is over, a worker probes it. */
  #keepClosed(destination: DestinationAvailability, known: WaitingDestination): void {
    if (destination.state.kind !== 'probing')
      destination.close(known.failures, Math.max(known.waitMs, this.#scanMs), lastReplyOf(known));
  }

  /** Closes a sender after a probe without a clear outcome. The database determines when mail from the sender is retried. */
  #postpone(sender: DestinationAvailability, delayMs: number): void {
    const { unavailable } = sender;
    if (unavailable !== null)
      sender.close(unavailable.failures, Math.max(delayMs, this.#scanMs), unavailable.reply);
  }
}

/** Whether the destination belongs to a sender whose mail is accepted again. */
function isReopened({ name, failures }: WaitingDestination): boolean {
  return failures === 0 && name !== domainOf(name);
}

/** Opens a queue whose destination accepts mail and has a backlog according to the database. */
function markOpen(queue: DestinationQueue): void {
  const { state } = queue;
  // A queue that was closed just now may still be open in the database. If the queue was closed longer ago, either another worker has
  // opened the destination, or the write that closes it never happened.
  if (state.kind === 'closed' && performance.now() - state.sinceMs < CLOSING_MS) return;
  queue.open();
  queue.expectBacklog();
}

function waitFor(closed: DestinationAvailability): Wait | null {
  const { destination, delayMs, unavailable } = closed;
  return unavailable === null ? null : { destination, delayMs, reply: unavailable.reply };
}

/** The domain of the sender: the domain of the return path without its first label. */
function senderOf(mailFromDomain: string): string {
  return mailFromDomain.slice(mailFromDomain.indexOf('.') + 1);
}
