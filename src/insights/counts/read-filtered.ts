/**
 * Reads the outcomes of the emails that have certain values of dimensions. The worker counts each dimension on its own, so its counts answer
 * only a filter by one value, without grouping. Otherwise, the emails are counted for the request, from the newest on, until the time is over.
 * The range is then shortened to the steps that were counted completely: no number is ever partial.
 */
import type { Read } from '../../db/fair-reads.ts';
import * as clock from '../../model/clock.ts';
import type { DimensionFilter } from '../../model/dimensions.ts';
import { countNewestSteps, type StepPart } from './count-emails.ts';
import { OTHER_PROVIDERS } from './mailbox-providers.ts';
import {
  type MetricsOfRange,
  type OutcomeQuery,
  readValue,
  SHOWN,
  type SteppedPart,
} from './read-metrics.ts';
import { readRetained } from './retained.ts';
import { Tally, type TallyPart } from './tally.ts';

/** No slice is counted after this time. A slice takes up to a few hundred milliseconds, and a read three seconds. */
const COUNT_MS = 1_500;

export interface FilteredMetrics extends MetricsOfRange {
  /** The first step that was counted. The number of steps if none was. */
  firstStep: number;
}

/** @param mayContinue called before each slice of emails is counted. Default: a time limit */
export async function readFilteredMetrics(
  read: Read,
  query: OutcomeQuery,
  filter: DimensionFilter,
  mayContinue = untilMs(performance.now() + COUNT_MS),
): Promise<FilteredMetrics> {
  const stored = await readStored(read, query, filter);
  return stored === null ? countFiltered(read, query, filter, mayContinue) : { ...stored, firstStep: 0 };
}

function untilMs(endMs: number): () => boolean {
  return () => performance.now() < endMs;
}

/** @returns null if the worker's counts do not answer the query */
async function readStored(
  read: Read,
  query: OutcomeQuery,
  filter: DimensionFilter,
): Promise<MetricsOfRange | null> {
  const [[by, value] = [], ...others] = Object.entries(filter) as [keyof DimensionFilter, string][];
  if (query.by !== 'all' || by === undefined || value === undefined || others.length > 0) return null;
  if (by === 'provider' && value === OTHER_PROVIDERS) return null;
  return read((database) => readValue(database, { ...query, by }, value));
}

async function countFiltered(
  read: Read,
  { projectId, by, from, stepMs, steps, keepDays }: OutcomeQuery,
  filter: DimensionFilter,
  mayContinue: () => boolean,
): Promise<FilteredMetrics> {
  const retained = await read((database) => readRetained(database, projectId, keepDays));
  const now = clock.now();
  const counted = await countNewestSteps(
    read,
    { projectId, from, stepMs, filter },
    [from < retained ? retained : from, new Date(from.getTime() + steps * stepMs)],
    by === 'all' ? [by] : ['all', by],
    mayContinue,
  );
  const firstStep = Math.min(steps, Math.ceil((counted.from.getTime() - from.getTime()) / stepMs));
  const whole = counted.parts.filter(({ at }) => at >= firstStep);
  const [all] = seriesOf(whole.filter(({ dimension }) => dimension === 'all'));
  return {
    all,
    parts: by === 'all' ? [] : seriesOf(whole.filter(({ dimension }) => dimension === by)),
    countedAt: now,
    outcomesAt: now,
    isComplete: true,
    retained,
    firstStep,
  };
}

/** The series of a dimension, largest first. The sum of all other values is the last series. */
function seriesOf(parts: readonly StepPart[]): SteppedPart[] {
  const totals = new Tally(SHOWN);
  for (const { at: _, ...part } of parts) totals.add(part);
  const shown = totals
    .parts()
    .toSorted(
      (one, other) =>
        Number(one.isRest) - Number(other.isRest) ||
        other.recipients - one.recipients ||
        (one.value < other.value ? -1 : 1),
    );
  const names = new Set(shown.filter(({ isRest }) => !isRest).map(({ value }) => value));
  const isShown = ({ isRest, value }: TallyPart) => !isRest && names.has(value);
  const rest = parts.filter((part) => !isShown(part)).map((part) => ({ ...part, value: '', isRest: true }));
  return shown.map((total) => ({
    total,
    steps: byStep(total.isRest ? rest : parts.filter((part) => isShown(part) && part.value === total.value)),
  }));
}

/** Adds up the parts of each step, all of which have the same value. */
function byStep(parts: readonly StepPart[]): SteppedPart['steps'] {
  const tallies = Map.groupBy(parts, ({ at }) => at);
  return new Map(
    [...tallies].flatMap(([at, own]) => {
      const tally = new Tally(1);
      for (const { at: _, ...part } of own) tally.add(part);
      return tally.parts().map((part) => [at, part] as const);
    }),
  );
}
