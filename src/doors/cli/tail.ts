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
    .option('--project <name>', 'only show emails of this project')
    .addOption(json)
    .addHelpText('after', example('tail --project default'))
    .action(followEvents);
}

const PAUSE_MS = 500;
const STOP_MS = 2_000;
/**
 * The pause between polls is at least four times as long as the last poll took, so that `tail` uses at most a fifth of one connection's
 * time.
 */
const PAUSE_FACTOR = 4;
/** An event may be missed if it is committed more than this long after it happened. */
const LATE_MS = 10_000;

/** Prints events until Ctrl-C, or until the reader closes the pipe. */
async function followEvents({ project, json }: { project?: string; json?: boolean }): Promise<void> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
    // Exit in any case, because a statement may hang.
    setTimeout(() => process.exit(), STOP_MS).unref();
  };
  // When run by npm, Ctrl-C in a terminal arrives twice, because npm passes the signal on too.
  process.on('SIGINT', end).on('SIGTERM', end);
  process.stdout.once('error', end);
  await withDatabase(
    async ({ database }) => {
      const watch = new Watch(database, project);
      process.stderr.write('Waiting for events. Press Ctrl-C to stop.\n');
      for (let isDatabaseUnavailable = false; !ending.signal.aborted; ) {
        const beganMs = performance.now();
        try {
          for (const event of await watch.next()) print(json, event, lineOf(event));
          if (isDatabaseUnavailable) process.stderr.write('The database is available again.\n');
          isDatabaseUnavailable = false;
        } catch (error) {
          if (!mayWorkLater(error)) throw error;
          if (!isDatabaseUnavailable)
            process.stderr.write('The database is unavailable. Retrying until it is back.\n');
          isDatabaseUnavailable = true;
        }
        const pauseMs = Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - beganMs));
        await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => {});
      }
    },
    // If no database is running, no server is, so there are no events. If this command started the database, no server could start.
    { startsDatabase: false },
  );
}

/** Finds the events that are new since the last poll, of one project or of all projects. */
class Watch {
  readonly #database: Database;
  readonly #project: string | undefined;
  readonly #fromMs = clock.nowMs();
  /**
   * Ids of events that were already shown. Events are not committed in the order of their ids, so each poll reads the last `LATE_MS` again.
   */
  #shown = new Set<string>();

  constructor(database: Database, project: string | undefined) {
    this.#database = database;
    this.#project = project;
  }

  /** @throws AppError not-found if no project has this name */
  async next() {
    const projects = (await listProjects(this.#database)).filter(
      ({ name }) => this.#project === undefined || name === this.#project,
    );
    if (this.#project !== undefined && projects.length === 0)
      throw new AppError(
        'not-found',
        `There is no project named ${this.#project}. Run posthorn project list to see all projects.`,
      );
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

/** Formats an event as one line, truncated to the width of the terminal. */
function lineOf({ email_id, created_at, recipient, ...event }: ShownEvent): string {
  const parts = [timeInWords(created_at), event.type.padEnd(10), email_id, recipient ?? '', detailOf(event)];
  return fitTerminal(parts.filter((part) => part !== '').join('  '));
}
