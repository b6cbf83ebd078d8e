/**
 * Gives domains that were verified by the earlier rules (`earlier-rules.ts`) 30 days to correct records that fail only because records are
 * now judged as receivers do (docs/decisions/0134-records-as-receivers-judge-them.md). Delete this file, `earlier-rules.ts` and
 * `passedEarlier` once no domain can still be in its 30 days.
 */
import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../model/day.ts';
import type { ClaimState } from './claim-state.ts';
import type { RecordCheck } from './judge-record.ts';
import type { Checks } from './look-up-records.ts';

const TOLERANCE_MS = 30 * DAY_MS;

/** The last check of a claim. */
interface Before {
  status: ClaimState['status'];
  checks: unknown;
}

/**
 * The checks, in which a tolerated record is `verified` with advice. A record is tolerated from the first check that fails, if the check
 * before was made by the earlier rules and the claim was verified then. A record that was correct once by the new rules is not tolerated.
 */
export function tolerate(checks: Checks, before: Before, now: Date): Checks {
  const earlier = (before.checks ?? {}) as Checks;
  const wasSendable = before.status === 'verified' || before.status === 'warning';
  return Object.fromEntries(
    Object.entries(checks).map(([key, check]) => [key, tolerated(check, earlier[key], wasSendable, now)]),
  );
}

function tolerated(
  { passedEarlier, ...check }: RecordCheck,
  last: RecordCheck | undefined,
  wasSendable: boolean,
  now: Date,
): RecordCheck {
  const isOfEarlierRules =
    wasSendable && last !== undefined && last.rules === undefined && last.status !== 'failed';
  const fixBy =
    last?.fixBy ?? (isOfEarlierRules ? new Date(now.getTime() + TOLERANCE_MS).toISOString() : null);
  // DNS did not answer, so it is still unknown whether the record needs the tolerance.
  if (check.status === 'temporary_failure')
    return {
      ...check,
      ...(isOfEarlierRules ? {} : { rules: 2 as const }),
      ...(last?.fixBy !== undefined && { fixBy: last.fixBy }),
    };
  const after = { ...check, rules: 2 as const };
  if (check.status !== 'failed' || check.error === null || passedEarlier !== true) return after;
  if (fixBy === null || Date.parse(fixBy) <= now.getTime()) return after;
  return { ...after, status: 'verified', error: null, advice: [check.error], fixBy };
}

/** A check of a record on which the status depends, with `fixBy`, in the text of all checks. Strings in it may contain anything. */
const TOLERATED = String.raw`"(SPF|DKIM) [^"]*":\{([^"{}]|"([^"\\]|\\.)*")*"fixBy":"`;

/**
 * Condition: a record of the claim on which the status depends is tolerated. As text, because PostgreSQL cannot read JSON with NUL, which
 * DNS can contain.
 */
export function hasTolerated(): RawBuilder<boolean> {
  return sql<boolean>`(domains.checks is not null and domains.checks::text ~ ${TOLERATED})`;
}

/** When the first of the tolerated records on which the status depends must be correct. Null if there are none. */
export function fixByOf(checks: unknown): string | null {
  const times = Object.entries((checks ?? {}) as Checks).flatMap(([key, { fixBy }]) =>
    fixBy !== undefined && !key.startsWith('DMARC ') ? [fixBy] : [],
  );
  return times.toSorted()[0] ?? null;
}
