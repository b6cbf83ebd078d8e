/** Which destinations take mail: what attempts find out, and the probes of those that failed. */
import type { ClaimedRow } from '../../queue/claim.ts';
import {
  findDestinations,
  parkUnstarted,
  passOn,
  takeDueDestinations,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import { domainOf, nameOfSender, rejectsAnotherSender } from '../../queue/rejected-senders.ts';
import { DestinationChanges } from './destination-changes.ts';
import { DestinationProbes, type DestinationProbesOptions } from './destination-probes.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { type DestinationAvailability, heard } from './destination-state.ts';
import { unparkDue } from './paused-mail.ts';
import type { Job } from './job.ts';
import type { AttemptOf } from './outcome-events.ts';
import type { AttemptReply, Outcome, TransientOutcome } from './provider.ts';
import { RejectedSenders } from './rejected-senders.ts';
import { TIMINGS } from './timings.ts';

const DUE_BACKLOGS = 100;
/** That a destination is closed may take so long to be written. */
const CLOSING_MS = 4_000;

export interface DestinationWatchOptions extends DestinationProbesOptions {
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'lookMs'> | undefined;
}

/** What there is to know of an attempt, beside its outcome. */
interface Attempted {
  /** On the clock of `performance.now`. */
  startedMs: number;
  mailFromDomain: string;
  /** Of the job. */
  probes: Job['probes'] | undefined;
}

/** What recipients wait for who are not attempted. */
export interface Wait {
  destination: string;
  delayMs: number;
  reply: AttemptReply;
}

export class DestinationWatch {
  readonly #options: DestinationWatchOptions;
  readonly #lookMs: number;
  #nextLookMs = 0;
  #looking: Promise<void> | null = null;
  readonly #senders = new RejectedSenders();
  readonly #changes: DestinationChanges;
  readonly #probes: DestinationProbes;

  constructor(options: DestinationWatchOptions) {
    this.#options = options;
    ({ lookMs: this.#lookMs } = options.timings ?? TIMINGS);
    this.#changes = new DestinationChanges(options, this.#senders);
    this.#probes = new DestinationProbes(options, this.#senders);
  }

  /** Looks around where that is due. */
  tick(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextLookMs || this.#looking !== null) return;
    const { database, queues, recorder } = this.#options;
    this.#nextLookMs = nowMs + this.#lookMs;
    queues.sweep(nowMs);
    this.#senders.sweep((domain) => queues.has(domain));
    this.#looking = (queues.isOneWay ? unparkDue(database) : this.#look())
      .catch(recorder.reporter('look at destinations'))
      .finally(() => {
        this.#looking = null;
      });
  }

  /** Resolves when the look around that was under way is over, and what followed from others. */
  async stop(): Promise<void> {
    await this.#looking;
    await this.#changes.stop();
  }

  /** Learns what the database says of the destinations. */
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

  /** What the job waits for, as far as this worker knows; null: it may be attempted. */
  waitOf({ probes }: Job, queue: DestinationQueue, senderDomain: string): Wait | null {
    if (queue.state.kind === 'closed') {
      if (probes === undefined) return waitFor(queue);
      this.#putOff(probes, queue.delayMs);
      return waitFor(probes);
    }
    const sender = probes === undefined ? this.#senders.find(queue.destination, senderDomain) : null;
    return sender === null ? null : waitFor(sender);
  }

  /**
   * What an outcome says of the destination.
   * @returns set when the row is to wait for the destination
   */
  async afterAttempt(
    queue: DestinationQueue,
    outcome: Outcome,
    attempted: Attempted,
  ): Promise<AttemptOf['waitFor']> {
    const { probes, mailFromDomain } = attempted;
    if (outcome.outcome === 'abandoned' || outcome.isInside === true) {
      if (probes !== undefined) this.#putOff(probes, 0);
      else if (queue.state.kind === 'probing') queue.forget();
      return null;
    }
    const sender = nameOfSender(queue.destination, senderOf(mailFromDomain));
    if (outcome.outcome !== 'transient' || outcome.scope === 'message') {
      if (outcome.outcome !== 'transient' || outcome.reply.replyCode !== null) {
        queue.answered();
        this.#senders.answered(sender);
      }
      // Not waited for: the sooner the outcome is written down, the better.
      if (probes !== undefined) this.#changes.openSender(probes.destination);
      if (queue.state.kind === 'probing') this.#changes.open(queue);
      return null;
    }
    const closed =
      outcome.scope === 'host'
        ? await this.#foundAway(queue, outcome, attempted)
        : await this.#foundRefused(queue, sender, outcome, attempted);
    return closed && { destination: closed.destination, delayMs: closed.delayMs, wasTried: true };
  }

  /** @returns what the row waits for */
  async #foundAway(
    queue: DestinationQueue,
    outcome: TransientOutcome,
    { startedMs, mailFromDomain, probes }: Attempted,
  ): Promise<DestinationAvailability | null> {
    const tookOthers = queue.hasAnsweredSince(startedMs);
    if (!tookOthers && queue.state.kind !== 'closed')
      await this.#changes.close(queue, outcome, mailFromDomain);
    if (probes !== undefined) {
      this.#putOff(probes, queue.delayMs);
      return probes;
    }
    // It took others meanwhile: then it is this message's turn to wait, and nobody else's.
    return tookOthers ? null : queue;
  }

  /** @returns what the row waits for */
  async #foundRefused(
    queue: DestinationQueue,
    name: string,
    outcome: TransientOutcome,
    { startedMs, mailFromDomain, probes }: Attempted,
  ): Promise<DestinationAvailability | null> {
    // It took others of the sender meanwhile.
    if (probes === undefined && this.#senders.hasAnsweredSince(name, startedMs)) return null;
    const sender = this.#senders.get(name);
    if (sender.state.kind === 'closed') return sender;
    const isNews = sender.state.kind !== 'probing';
    await this.#changes.close(sender, outcome, mailFromDomain);
    const concernsAll = isNews && (await this.#concernsAll(queue, name));
    // Another one may have found out meanwhile.
    if (concernsAll && queue.unavailable?.kind !== 'closed')
      await this.#changes.close(queue, outcome, mailFromDomain);
    return sender;
  }

  /** Whether a sender that is refused is one too many, so that the destination seems to want no mail at all. */
  async #concernsAll(queue: DestinationQueue, name: string): Promise<boolean> {
    const { database, recorder } = this.#options;
    const { state } = queue;
    if (state.kind === 'closed') return false;
    if (state.kind === 'probing') return this.#probes.refusesAnother(queue, state.failures);
    // What it refused before it last took a message is those senders' matter.
    const silentMs = queue.silentMs(performance.now());
    const refuses = await rejectsAnotherSender(database, name, silentMs).catch(
      recorder.reporter('look at refused senders'),
    );
    return refuses === true;
  }

  /** The row is for a worker that has a place at the destination. */
  async leaveToOthers({ probes }: Job, queue: DestinationQueue, row: ClaimedRow): Promise<void> {
    const { database, lease, orDoubt } = this.#options;
    const probed = probes ?? (queue.state.kind === 'probing' ? queue : null);
    if (probes !== undefined) this.#putOff(probes, 0);
    else if (probed !== null) queue.forget();
    const name = (probed ?? queue).destination;
    await orDoubt(() => parkUnstarted(database, lease.leaseId, [row], name));
    if (probed !== null) await passOn(database, [name]);
  }

  async #look(): Promise<void> {
    const { database, queues, onChange } = this.#options;
    const probes = this.#probes.capacity;
    const due = await takeDueDestinations(database, { backlogs: DUE_BACKLOGS, failing: probes });
    const failing = due.filter(({ failures }) => failures > 0);
    const { mine = [], others = [] } = Object.groupBy(due, (destination) =>
      isReopened(destination) || queues.hasPlace(domainOf(destination.name)) ? 'mine' : 'others',
    );
    if (others.length > 0)
      await passOn(
        database,
        others.map(({ name }) => name),
      );
    for (const destination of mine) {
      const { name, failures } = destination;
      if (failures > 0) void this.#probes.begin(destination);
      else if (isReopened(destination)) this.#changes.rejoin(name);
      else takesMail(queues.get(name));
    }
    await this.#reviewSenders();
    if (due.length - failing.length === DUE_BACKLOGS || (probes > 0 && failing.length === probes)) {
      this.#nextLookMs = 0;
    }
    onChange();
  }

  /** Another worker may have found that senders are taken again, or are not. */
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

  /** By name: these, and the senders that their domains refuse. */
  async #find(destinations: readonly DestinationAvailability[]): Promise<Map<string, WaitingDestination>> {
    const domains = new Set(destinations.map(({ destination }) => domainOf(destination)));
    const found = await findDestinations(this.#options.database, [...domains]);
    return new Map(found.map((destination) => [destination.name, destination]));
  }

  /** The destination fails, says the database: it is somebody's turn to try it, when its time has come. */
  #keepClosed(destination: DestinationAvailability, known: WaitingDestination): void {
    if (destination.state.kind !== 'probing')
      destination.close(known.failures, Math.max(known.waitMs, this.#lookMs), heard(known));
  }

  /** Nothing was found out of the sender: the database says when it is tried again. */
  #putOff(sender: DestinationAvailability, delayMs: number): void {
    const { unavailable } = sender;
    if (unavailable !== null)
      sender.close(unavailable.failures, Math.max(delayMs, this.#lookMs), unavailable.reply);
  }
}

/** A sender is taken again. */
function isReopened({ name, failures }: WaitingDestination): boolean {
  return failures === 0 && name !== domainOf(name);
}

/** The destination has a backlog and takes mail, says the database. */
function takesMail(queue: DestinationQueue): void {
  const { state } = queue;
  // Closed a moment ago, it may not be written down yet. Longer ago: it never was, or another worker has opened it since.
  if (state.kind === 'closed' && performance.now() - state.sinceMs < CLOSING_MS) return;
  queue.open();
  queue.expectBacklog();
}

function waitFor(closed: DestinationAvailability): Wait | null {
  const { destination, delayMs, unavailable } = closed;
  return unavailable === null ? null : { destination, delayMs, reply: unavailable.reply };
}

/** The domain of the sender, whose label the return path has in front. */
function senderOf(mailFromDomain: string): string {
  return mailFromDomain.slice(mailFromDomain.indexOf('.') + 1);
}
