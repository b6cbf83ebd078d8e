import type { ForDestination } from '../../queue/destinations.ts';
import type { ProjectStream } from '../../queue/fair-shares.ts';
import type { Job } from './job.ts';

/** The waiting jobs for one destination in one stream of a project. */
export interface Line extends Readonly<ForDestination> {
  readonly rows: number;
  readonly isEmpty: boolean;
}

class JobLine implements Line {
  readonly projectId: string;
  readonly stream: Line['stream'];
  readonly destination: string;
  readonly jobs: Job[] = [];
  rows = 0;

  constructor({ projectId, stream, destination }: ForDestination) {
    this.projectId = projectId;
    this.stream = stream;
    this.destination = destination;
  }

  get isEmpty(): boolean {
    return this.jobs.length === 0;
  }
}

/** The waiting jobs for a destination, with a line for each stream of a project. */
export class WaitingJobs {
  readonly #lines = new Map<string, JobLine>();
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  get lines(): Iterable<Line> {
    return this.#lines.values();
  }

  add(job: Job): Line {
    const key = keyOf(job);
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = new JobLine(job);
      this.#lines.set(key, line);
    }
    line.jobs.push(job);
    line.rows += job.rows.length;
    this.#rows += job.rows.length;
    return line;
  }

  /** The first job in the line. */
  peek(line: Line): Job | undefined {
    return this.#lines.get(keyOf(line))?.jobs[0];
  }

  shift(of: Line): Job | undefined {
    const line = this.#lines.get(keyOf(of));
    return line === undefined ? undefined : this.#take(line, 0, 1)[0];
  }

  /** Removes the latest jobs of the longest lines, so that at most `keep` rows are left. The only job of a line is removed last. */
  takeBeyond(keep: number): Job[] {
    const jobs: Job[] = [];
    const level = fairLevel(
      [...this.#lines.values()].map(({ rows }) => rows),
      keep,
    );
    for (const line of Array.from(this.#lines.values())) {
      let rows = 0;
      const at = line.jobs.findIndex((job) => {
        rows += job.rows.length;
        return rows > level;
      });
      if (at !== -1) jobs.push(...this.#take(line, at, line.jobs.length - at));
    }
    // If there are more lines than rows to retain, some lines retain no rows.
    for (const line of [...this.#lines.values()].toReversed())
      if (this.#rows > keep) jobs.push(...this.#take(line, 0, line.jobs.length));
    return jobs;
  }

  removeJobs(matches: (job: Job) => boolean): Job[] {
    const jobs: Job[] = [];
    for (const line of Array.from(this.#lines.values()))
      for (let at = line.jobs.length - 1; at >= 0; at -= 1)
        if (matches(line.jobs[at] as Job)) jobs.push(...this.#take(line, at, 1));
    return jobs;
  }

  #take(line: JobLine, at: number, count: number): Job[] {
    const jobs = line.jobs.splice(at, count);
    for (const job of jobs) {
      line.rows -= job.rows.length;
      this.#rows -= job.rows.length;
    }
    if (line.isEmpty) this.#lines.delete(keyOf(line));
    return jobs;
  }
}

/** The number of rows that each line may retain, at least 1, so that all lines together retain at most `limit` rows. */
function fairLevel(counts: readonly number[], limit: number): number {
  let left = limit;
  let lines = counts.length;
  for (const count of counts.toSorted((one, other) => one - other)) {
    const share = Math.floor(left / lines);
    if (count > share) return Math.max(share, 1);
    left -= count;
    lines -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

export function keyOf({ projectId, stream }: ProjectStream): string {
  return `${projectId} ${stream}`;
}
