/**
 * What waits for destinations, between the lanes of a worker and the database: loads what is known of a destination, parks
 * what a lane cannot take, claims it again when there is room, probes those that failed, and bounces what waited for
 * three days.
 */
import type { Database } from '../../db/database.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import {
  claimParked,
  closeDestination,
  findDestinations,
  forgetDestination,
  openDestination,
  parkDue,
  parkHeld,
  takeDueDestinations,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import type { Life } from '../../queue/life.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { groupJobs, type Job } from './begin-attempts.ts';
import { forEverybody } from './for-everybody.ts';
import type { Lane } from './lane.ts';
import type { Lanes } from './lanes.ts';
import type { AttemptOf } from './outcome-events.ts';
import type { AttemptReply, Outcome } from './provider.ts';
import { GIVE_UP_AFTER_MS, nextDelayMs } from './retry-schedule.ts';

const LOOK_MS = 1_000;
const DUE_BACKLOGS = 100;
/** Most failing destinations let their probe wait for as long as it may: those must not take up all places. */
const MAX_PROBES = 50;
/** Statements at once: they share the connections with all other work. */
const MAX_PULLS = 8;
/** That a destination is closed may take so long to be written. */
const CLOSING_MS = 4_000;
const PARK_ROWS = 10_000;
const EXPIRE_ROWS = 400;

export interface BacklogOptions {
  database: Database;
  life: Life;
  lanes: Lanes;
  recorder: AttemptRecorder;
  /** The answer to a claim was lost (see `AttemptRecorderOptions`). */
  onDoubt(): void;
  /** Lanes have changed. */
  onChange(): void;
  /** Attempts one job of a destination whose lane is closed. Resolves when that is over, whatever became of it. */
  probe(job: Job): Promise<void>;
}

/** What there is to know of an attempt, beside its outcome. */
interface Attempted {
  /** On the clock of `performance.now`. */
  startedMs: number;
  mailFromDomain: string;
}

export class Backlog {
  readonly #options: BacklogOptions;
  #nextLookMs = 0;
  #looking: Promise<void> | null = null;
  #pulls = 0;
  #probes = 0;
  #stopping = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Looks around where that is due. */
  tick(): void {
    const nowMs = performance.now();
    while (this.#pulls < MAX_PULLS && !this.#stopping) {
      const lane = this.#options.lanes.nextHungry();
      if (lane === null) break;
      void this.#pull(lane);
    }
    if (nowMs < this.#nextLookMs || this.#looking !== null || this.#stopping) return;
    this.#nextLookMs = nowMs + LOOK_MS;
    this.#options.lanes.sweep(nowMs);
    this.#looking = this.#guarded('look at destinations', () => this.#look()).finally(() => {
      this.#looking = null;
    });
  }

  /** Claims nothing more. Resolves when what was under way is done. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#looking;
  }

  /** Sees to it that what waits may be begun: knows the destinations, and parks what none of them takes. */
  async sort(): Promise<void> {
    const { lanes } = this.#options;
    const nowMs = performance.now();
    const unknown: Lane[] = [];
    for (const lane of lanes.waiting) {
      if (lane.state.kind === 'closed' && lane.state.untilMs <= nowMs) lane.state = { kind: 'unknown' };
      if (lane.state.kind === 'unknown') unknown.push(lane);
    }
    if (unknown.length > 0) await this.#load(unknown);
    await Promise.all([...lanes.waiting].map((lane) => this.#parkIfClosed(lane)));
    for (const { lane, jobs } of lanes.takeOverflow()) await this.#parkHeld(lane, jobs);
  }

  /** Takes what is due next, for lanes without room, out of the way of the others. */
  async clearTheWay(): Promise<void> {
    const stuffed = this.#options.lanes.stuffed;
    if (stuffed.length === 0) return;
    for (const lane of stuffed) lane.hasBacklog = true;
    const names = stuffed.map(({ destination }) => destination);
    while ((await parkDue(this.#options.database, names, PARK_ROWS)) === PARK_ROWS);
  }

  /**
   * What an outcome says of the destination.
   * @returns set when the row is to wait for the destination
   */
  async afterAttempt(lane: Lane, outcome: Outcome, attempted: Attempted): Promise<AttemptOf['waitFor']> {
    if (outcome.outcome === 'abandoned') {
      if (lane.state.kind === 'probing') lane.state = { kind: 'unknown' };
      return null;
    }
    if (outcome.outcome !== 'transient' || outcome.scope === 'message') {
      if (outcome.outcome !== 'transient' || outcome.reply.replyCode !== null) {
        lane.lastAnswerMs = performance.now();
      }
      // Not waited for: the sooner the outcome is written down, the better.
      if (lane.state.kind === 'probing') void this.#open(lane);
      return null;
    }
    // It took others meanwhile: then it is this message's turn to wait, and nobody else's.
    if (lane.lastAnswerMs > attempted.startedMs) return null;
    if (lane.state.kind !== 'closed') await this.#close(lane, outcome, attempted);
    return { ...waitFor(lane), wasTried: true };
  }

  async #look(): Promise<void> {
    const probes = MAX_PROBES - this.#probes;
    const due = await takeDueDestinations(this.#options.database, {
      backlogs: DUE_BACKLOGS,
      failing: probes,
    });
    const failing = due.filter(({ failures }) => failures > 0);
    for (const destination of failing) void this.#probe(destination);
    for (const { name, failures } of due) if (failures === 0) this.#isOpen(this.#options.lanes.get(name));
    if (due.length - failing.length === DUE_BACKLOGS || (probes > 0 && failing.length === probes)) {
      this.#nextLookMs = 0;
    }
    this.#options.onChange();
  }

  /** The destination has a backlog and takes mail, says the database. */
  #isOpen(lane: Lane): void {
    const { state } = lane;
    // Closed a moment ago, it may not be written down yet. Longer ago: it never was, or another worker has opened it since.
    if (state.kind === 'closed' && performance.now() - state.sinceMs < CLOSING_MS) return;
    lane.state = { kind: 'open' };
    lane.hasBacklog = true;
  }

  async #probe(destination: WaitingDestination): Promise<void> {
    const lane = this.#options.lanes.get(destination.name);
    lane.state = { kind: 'probing', failures: destination.failures, reply: heard(destination) };
    this.#probes += 1;
    await this.#guarded('probe a destination', () => this.#findOut(lane));
    this.#probes -= 1;
    this.#options.onChange();
  }

  /** Row after row tries whether the destination is back, until one has an answer. */
  async #findOut(lane: Lane): Promise<void> {
    const { database, life, recorder, probe } = this.#options;
    while (lane.state.kind === 'probing' && !this.#stopping) {
      const rows = await this.#claim(() => claimParked(database, life.epoch, lane.destination, 1));
      const [job] = this.#jobs(rows, lane);
      if (job === undefined) {
        lane.state = { kind: 'unknown' };
        await forgetDestination(database, lane.destination);
      } else if (this.#stopping) {
        await recorder.giveBack(rows);
      } else {
        await probe(job);
      }
    }
  }

  async #pull(lane: Lane): Promise<void> {
    const { database, life, lanes, recorder } = this.#options;
    lane.pulling = true;
    this.#pulls += 1;
    await this.#guarded('claim a backlog', async () => {
      const limit = lanes.appetite(lane);
      const rows = await this.#claim(() => claimParked(database, life.epoch, lane.destination, limit));
      if (this.#stopping) await recorder.giveBack(rows);
      else lanes.add(this.#jobs(rows, lane));
      if (rows.length < limit) {
        lane.hasBacklog = false;
        await forgetDestination(database, lane.destination);
      }
    });
    lane.pulling = false;
    this.#pulls -= 1;
    this.#options.onChange();
  }

  async #load(unknown: readonly Lane[]): Promise<void> {
    const names = unknown.map(({ destination }) => destination);
    const found = await findDestinations(this.#options.database, names);
    const byName = new Map(found.map((destination) => [destination.name, destination]));
    for (const lane of unknown) {
      const destination = byName.get(lane.destination);
      if (destination === undefined || destination.failures === 0) {
        lane.state = { kind: 'open' };
        lane.hasBacklog ||= destination !== undefined;
      } else {
        const { failures, waitMs } = destination;
        const sinceMs = performance.now();
        const untilMs = sinceMs + Math.max(waitMs, LOOK_MS);
        lane.state = { kind: 'closed', failures, sinceMs, untilMs, reply: heard(destination) };
      }
    }
  }

  /** Says on the timeline of each that it waits, and why. */
  async #parkIfClosed(lane: Lane): Promise<void> {
    const { lanes, recorder } = this.#options;
    const { state } = lane;
    if (state.kind !== 'closed' && state.kind !== 'probing') return;
    const outcome = { outcome: 'transient', scope: 'host', reply: state.reply } as const;
    const rows = lanes.empty(lane).flatMap((job) => job.rows);
    await Promise.all(
      rows.map((row) => recorder.record(row, outcome, { ...waitFor(lane), wasTried: false }, null)),
    );
  }

  async #parkHeld(lane: Lane, jobs: readonly Job[]): Promise<void> {
    const { database, life } = this.#options;
    lane.hasBacklog = true;
    const rows = jobs.flatMap((job) => job.rows);
    await this.#claim(async () => {
      await parkHeld(database, life.epoch, rows, lane.destination);
      return [];
    });
  }

  async #close(
    lane: Lane,
    outcome: Extract<Outcome, { outcome: 'transient' }>,
    { mailFromDomain }: Attempted,
  ): Promise<void> {
    const known = lane.state.kind === 'probing' ? lane.state.failures : 0;
    const reply = forEverybody(outcome.reply, mailFromDomain);
    const delayMs = Math.round(
      Math.max(nextDelayMs(known + 1, 0, Math.random()) ?? 0, outcome.retryAfterMs ?? 0),
    );
    const wasProbe = lane.state.kind === 'probing';
    const sinceMs = performance.now();
    lane.state = { kind: 'closed', failures: known + 1, sinceMs, untilMs: sinceMs + delayMs, reply };
    lane.hasBacklog = false;
    await this.#guarded('close a destination', () =>
      closeDestination(this.#options.database, lane.destination, known, delayMs, { ...reply }),
    );
    if (wasProbe) void this.#guarded('expire a backlog', () => this.#expire(lane, reply));
    this.#options.onChange();
  }

  async #open(lane: Lane): Promise<void> {
    lane.state = { kind: 'open' };
    lane.hasBacklog = true;
    await this.#guarded('open a destination', () =>
      openDestination(this.#options.database, lane.destination),
    );
    this.#options.onChange();
  }

  /** What has waited for three days bounces. */
  async #expire(lane: Lane, reply: AttemptReply): Promise<void> {
    const { database, life, recorder } = this.#options;
    const outcome = { outcome: 'transient', scope: 'host', reply } as const;
    const before = firstUuidAt(new Date(Date.now() - GIVE_UP_AFTER_MS));
    while (!this.#stopping) {
      const rows = await this.#claim(() =>
        claimParked(database, life.epoch, lane.destination, EXPIRE_ROWS, before),
      );
      await Promise.all(
        rows.map((row) => recorder.record(row, outcome, { ...waitFor(lane), wasTried: false }, null)),
      );
      if (rows.length < EXPIRE_ROWS) return;
    }
  }

  #jobs(rows: readonly ClaimedRow[], lane: Lane): Job[] {
    return groupJobs(rows, () => lane.destination);
  }

  /** A claim whose answer is lost leaves the life in doubt. */
  async #claim(claim: () => Promise<ClaimedRow[]>): Promise<ClaimedRow[]> {
    try {
      return await claim();
    } catch (error) {
      this.#options.onDoubt();
      throw error;
    }
  }

  /** What fails here is tried again when its time comes. */
  async #guarded(step: string, run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) => this.#options.recorder.report(error, step));
  }
}

function waitFor(lane: Lane): { destination: string; delayMs: number } {
  const { destination, state } = lane;
  const delayMs = state.kind === 'closed' ? Math.max(state.untilMs - performance.now(), 0) : 0;
  return { destination, delayMs };
}

function heard({ reply }: WaitingDestination): AttemptReply {
  return reply as unknown as AttemptReply;
}
