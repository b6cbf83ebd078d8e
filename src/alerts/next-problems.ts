/**
 * Decides what is reported to a subscriber: compares the problems that exist now with those of earlier checks. Each problem is reported once when
 * it has lasted for a minute, again when it becomes worse, and once when it is resolved. Pure, so that the rules are tested as a table.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AlertProblem, ReportedProblem } from './channel.ts';
import { TIMINGS } from './timings.ts';

/** A problem that exists now. */
export interface FoundProblem {
  /** Names the problem. A new problem of the same resource has another key. */
  key: string;
  /** How bad the problem is. */
  level: number;
  /** Whether the subscriber has hidden the problem. */
  isSnoozed: boolean;
  problem: AlertProblem;
}

/** A problem that exists, or that was reported as resolved a short time ago. */
export interface KnownProblem extends FoundProblem {
  /** Null: the problem does not exist at present. */
  openedAt: Date | null;
  /** The highest reported level since the problem opened. Null: not reported. */
  reportedLevel: number | null;
  /** The last time at which the problem was reported as resolved. */
  resolvedAt: Date | null;
}

export interface NextProblemsInput {
  known: readonly KnownProblem[];
  found: readonly FoundProblem[];
  now: Date;
  /** Whether a problem that was not found is gone. False if the check could not find out. */
  isGone(known: KnownProblem): boolean;
  /** Whether the problem may be reported now. Otherwise it is reported later, if it still exists then. */
  mayReport(problem: AlertProblem): boolean;
}

export interface NextProblems {
  /** New and changed problems. */
  saved: KnownProblem[];
  /** The keys of problems to forget. */
  removed: string[];
  reports: ReportedProblem[];
}

/** The level of a problem that was reported in another form: any level of the new form is reported at once. */
const OTHER_FORM = -1;

/** Compares the problems of a subscription with those that exist now. */
export function nextProblems({ known, found, now, isGone, mayReport }: NextProblemsInput): NextProblems {
  const knownByKey = new Map(known.map((each) => [each.key, each]));
  const foundKeys = new Set(found.map(({ key }) => key));
  const missing = known.filter(({ key }) => !foundKeys.has(key));
  const next: NextProblems = { saved: [], removed: [], reports: [] };
  const save = (problem: KnownProblem) => {
    const before = knownByKey.get(problem.key);
    if (!isDeepStrictEqual(before, problem)) next.saved.push(problem);
  };
  const report = (problem: AlertProblem, change: ReportedProblem['change']) =>
    next.reports.push({ ...problem, change });

  for (const { key, level, isSnoozed, problem } of found) {
    const before = knownByKey.get(key);
    const isNew = before === undefined || before.openedAt === null;
    const openedAt = before?.openedAt ?? now;
    const resolvedAt = before?.resolvedAt ?? null;
    let reportedLevel = before?.reportedLevel ?? null;
    if (isNew && missing.some((each) => each.reportedLevel !== null && isSameSubject(each.problem, problem)))
      reportedLevel = OTHER_FORM;
    if (!isSnoozed && mayReport(problem)) {
      if (reportedLevel === null) {
        if (hasLasted(openedAt, problem, now) && hasRested(resolvedAt, now)) {
          report(problem, 'opened');
          reportedLevel = level;
        }
      } else if (level > reportedLevel) {
        report(problem, 'changed');
        reportedLevel = level;
      }
    }
    save({ key, level, isSnoozed, problem, openedAt, reportedLevel, resolvedAt });
  }

  for (const each of missing) {
    const { key, problem, isSnoozed, openedAt, reportedLevel, resolvedAt } = each;
    const isReported = openedAt !== null && reportedLevel !== null;
    if (openedAt !== null && !isGone(each)) continue;
    if (isReported && !found.some((other) => isSameSubject(problem, other.problem))) {
      if (!isSnoozed && !mayReport(problem)) continue;
      if (!isSnoozed) report(problem, 'resolved');
      save({ ...each, openedAt: null, reportedLevel: null, resolvedAt: now });
    } else if (isReported || hasRested(resolvedAt, now)) next.removed.push(key);
    else save({ ...each, openedAt: null, reportedLevel: null });
  }
  return next;
}

/** Kinds that replace each other: whether mail is sent has one state at a time. */
const ONE_STATE: ReadonlySet<AlertProblem['kind']> = new Set([
  'stopped',
  'paused',
  'delayed',
  'provider',
  'workers',
]);

/** Whether the two problems are forms of one, such as a domain whose records are missing and that is later no longer verified. */
function isSameSubject(one: AlertProblem, other: AlertProblem): boolean {
  if (ONE_STATE.has(one.kind)) return ONE_STATE.has(other.kind);
  return one.resource !== null && one.kind === other.kind && one.resource === other.resource;
}

function hasLasted(openedAt: Date, { since }: AlertProblem, now: Date): boolean {
  const beganMs = Math.min(openedAt.getTime(), since === null ? Number.POSITIVE_INFINITY : Date.parse(since));
  return now.getTime() - beganMs >= TIMINGS.lastsMs;
}

function hasRested(resolvedAt: Date | null, now: Date): boolean {
  return resolvedAt === null || now.getTime() - resolvedAt.getTime() >= TIMINGS.restMs;
}
