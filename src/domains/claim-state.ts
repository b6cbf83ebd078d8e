/** Computes the state of a claim on a domain after a check of its records, and the time of the next check. Pure. */
import type { ExpectedRecord } from './expected-records.ts';
import { type Checks, checkKey } from './look-up-records.ts';
import { DAY_MS, HOUR_MS } from '../model/day.ts';

/** A verified domain that has lost its records may still send for this long (docs/contract.md, Domain). */
export const WARNING_MS = 72 * 60 * 60 * 1_000;

export interface ClaimState {
  /**
   * `pending`: the claim is not verified yet, lost the name to another project, or was in `warning` for 72 hours. `warning`: the claim was
   * verified and has lost records. `failed`: the claim was `pending` for so long that it is now checked only on request.
   */
  status: 'pending' | 'verified' | 'failed' | 'warning';
  spfVerified: boolean;
  dkimVerified: boolean;
  mailFromVerified: boolean;
  dmarcVerified: boolean;
  verifiedAt: Date | null;
  warningSince: Date | null;
}

export const NEW_CLAIM: ClaimState = {
  status: 'pending',
  spfVerified: false,
  dkimVerified: false,
  mailFromVerified: false,
  dmarcVerified: false,
  verifiedAt: null,
  warningSince: null,
};

/** @param mayVerify false if another project's verified claim on the same name prevents the verification */
export function nextState(
  before: ClaimState,
  records: readonly ExpectedRecord[],
  checks: Checks,
  mayVerify: boolean,
  now: Date,
): ClaimState {
  const flag = (kind: ExpectedRecord['record'], was: boolean) => nextFlag(kind, was, records, checks);
  const flags = {
    spfVerified: flag('SPF', before.spfVerified),
    dkimVerified: flag('DKIM', before.dkimVerified),
    mailFromVerified: flag('MAIL_FROM', before.mailFromVerified),
    dmarcVerified: flag('DMARC', before.dmarcVerified),
  };
  const isComplete = flags.spfVerified && flags.dkimVerified && flags.mailFromVerified;
  const wasVerified = before.status === 'verified' || before.status === 'warning';
  if (isComplete && (mayVerify || wasVerified)) {
    const verifiedAt = wasVerified ? (before.verifiedAt ?? now) : now;
    return { ...flags, status: 'verified', verifiedAt, warningSince: null };
  }
  const warningSince = before.warningSince ?? now;
  const isWarning = wasVerified && now.getTime() - warningSince.getTime() < WARNING_MS;
  return isWarning
    ? { ...flags, status: 'warning', verifiedAt: before.verifiedAt, warningSince }
    : { ...flags, status: 'pending', verifiedAt: null, warningSince: null };
}

/**
 * Returns the new value of a flag. If DNS did not answer, the flag keeps its value. If several keys sign, one verified key is enough,
 * because a receiver ignores the signatures that it cannot check. Keys that do not sign are ignored.
 */
function nextFlag(
  kind: ExpectedRecord['record'],
  was: boolean,
  records: readonly ExpectedRecord[],
  checks: Checks,
): boolean {
  const statuses = records
    .filter(({ record, rotation }) => record === kind && rotation === undefined)
    .map((record) => checks[checkKey(record)]?.status ?? 'failed');
  if (kind === 'DKIM' && statuses.includes('verified')) return true;
  // Reached for DKIM if the claim has no signing key: such a claim cannot be verified.
  if (statuses.length === 0) return false;
  if (kind !== 'DKIM' && statuses.includes('failed')) return false;
  return statuses.includes('temporary_failure') ? was : !statuses.includes('failed');
}

const MINUTE_MS = 60_000;

/**
 * The pause before the next check of a pending claim that is younger than `untilMs`. A claim older than the last `untilMs` is no longer
 * checked.
 */
const WAITING: readonly { untilMs: number; pauseMs: number }[] = [
  { untilMs: MINUTE_MS / 2, pauseMs: MINUTE_MS },
  { untilMs: 5 * MINUTE_MS, pauseMs: 5 * MINUTE_MS },
  { untilMs: 30 * MINUTE_MS, pauseMs: 30 * MINUTE_MS },
  { untilMs: 3 * DAY_MS, pauseMs: HOUR_MS },
  { untilMs: 33 * DAY_MS, pauseMs: DAY_MS },
];
/**
 * The maximum random change of an interval, as a fraction. The random part keeps claims that were verified together from being checked
 * together.
 */
const SPREAD = 0.1;

/**
 * @param pendingSince for a pending claim: the time when the claim was added, was last checked on request, or left `verified` or `warning`
 * @param random from 0 to 1
 * @returns null if the claim is no longer checked automatically
 */
export function nextCheckAt(
  status: ClaimState['status'],
  pendingSince: Date,
  now: Date,
  random = Math.random(),
): Date | null {
  const pauseMs = pauseOf(status, now.getTime() - pendingSince.getTime());
  if (pauseMs === null) return null;
  return new Date(now.getTime() + Math.round(pauseMs * (1 - SPREAD + 2 * SPREAD * random)));
}

function pauseOf(status: ClaimState['status'], waitedMs: number): number | null {
  if (status === 'verified') return DAY_MS;
  if (status === 'warning') return HOUR_MS;
  return WAITING.find(({ untilMs }) => waitedMs < untilMs)?.pauseMs ?? null;
}
