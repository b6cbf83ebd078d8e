import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { listProjects } from '../../accounts/projects/project-settings.ts';
import { type Database, mayWorkLater } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId, firstUuidAt, timeOf } from '../../model/ids.ts';
import { type RecentEvent, recentEvents } from '../../sending/read/recent-events.ts';
import { example, json, print, withDatabase } from './command.ts';
import { detailOf } from './event-detail.ts';
import { fitTerminal, timeInWords } from './table.ts';

export function defineTail(tail: Command): void {
  tail
    .option('--project <name>', 'only the emails of this project')
    .addOption(json)
    .addHelpText('after', example('tail --project default'))
    .action(followEvents);
}

const PAUSE_MS = 500;
const STOP_MS = 2_000;
/** Whoever watches takes no more than a fifth of a connection. */
const REST = 4;
/** An event that is committed later than this after it happened is not shown. */
const LATE_MS = 10_000;

/** Prints events until Ctrl-C, or until nobody reads any more. */
async function followEvents({ project, json }: { project?: string; json?: boolean }): Promise<void> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
    // A statement may hang.
    setTimeout(() => process.exit(), STOP_MS).unref();
  };
  // From a terminal it comes twice: npm hands it on, too.
  process.on('SIGINT', end).on('SIGTERM', end);
  process.stdout.once('error', end);
  await withDatabase(
    async ({ database }) => {
      const watch = new Watch(database, project);
      process.stderr.write('Waiting for events. Ctrl-C ends.\n');
      for (let isAway = false; !ending.signal.aborted; ) {
        const beganMs = performance.now();
        try {
          for (const event of await watch.next()) print(json, event, lineOf(event));
          if (isAway) process.stderr.write('The database is back.\n');
          isAway = false;
        } catch (error) {
          if (!mayWorkLater(error)) throw error;
          if (!isAway) process.stderr.write('The database is away. It is tried again until it is back.\n');
          isAway = true;
        }
        const restMs = Math.max(PAUSE_MS, REST * (performance.now() - beganMs));
        await sleep(restMs, undefined, { signal: ending.signal }).catch(() => {});
      }
    },
    // One of its own would hold up the start of a server, and nothing happens without one.
    { startsDatabase: false },
  );
}

/** Of one project or all, what nobody was told yet. */
class Watch {
  readonly #database: Database;
  readonly #project: string | undefined;
  readonly #fromMs = clock.nowMs();
  /** Events are committed in another order than they have: those of the last seconds are asked for again. */
  #shown = new Set<string>();

  constructor(database: Database, project: string | undefined) {
    this.#database = database;
    this.#project = project;
  }

  /** @throws AppError where there is no such project */
  async next() {
    const projects = (await listProjects(this.#database)).filter(
      ({ name }) => this.#project === undefined || name === this.#project,
    );
    if (this.#project !== undefined && projects.length === 0)
      throw new AppError('not-found', `There is no project named ${this.#project}.`);
    const after = firstUuidAt(new Date(Math.max(this.#fromMs, clock.nowMs() - LATE_MS)));
    const events = [];
    for (const { id, name } of projects)
      for (const event of await recentEvents(this.#database, id, after)) events.push(shown(name, event));
    const news = events.filter(({ id }) => !this.#shown.has(id));
    this.#shown = new Set(events.map(({ id }) => id));
    return news.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

type ShownEvent = ReturnType<typeof shown>;

function shown(project: string, { emailId, id, ...event }: RecentEvent) {
  return {
    project,
    email_id: encodeId('em', emailId),
    id: encodeId('evt', id),
    created_at: timeOf(id).toISOString(),
    ...event,
  };
}

/** On one line, cut where the terminal ends. */
function lineOf({ email_id, created_at, recipient, ...event }: ShownEvent): string {
  const parts = [timeInWords(created_at), event.type.padEnd(10), email_id, recipient ?? '', detailOf(event)];
  return fitTerminal(parts.filter((part) => part !== '').join('  '));
}
