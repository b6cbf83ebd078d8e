/** The state of a claim on a domain after a check of its records. Pure. */
import type { ExpectedRecord } from './expected-records.ts';
import { type Checks, checkKey } from './look-up-records.ts';

/** How long mail may still go out from a verified domain that lost its records (docs/contract.md, Domain). */
export const WARNING_MS = 72 * 60 * 60 * 1_000;

export interface ClaimState {
  /**
   * `pending` until it is verified, and again when another project took the name or when `warning` lasted for 72 hours.
   * `warning`: it was verified and lost records. `failed`: it was `pending` for so long that it is only checked on request.
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

/** @param mayVerify whether no other project's claim on the name stands in the way */
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

/** A flag changes only where DNS answered. One verified key is enough: a receiver takes the signature that it can check. */
function nextFlag(
  kind: ExpectedRecord['record'],
  was: boolean,
  records: readonly ExpectedRecord[],
  checks: Checks,
): boolean {
  const statuses = records
    .filter(({ record }) => record === kind)
    .map((record) => checks[checkKey(record)]?.status ?? 'failed');
  if (kind === 'DKIM' && statuses.includes('verified')) return true;
  // A claim without a key has nothing that could be verified.
  if (statuses.length === 0) return false;
  if (kind !== 'DKIM' && statuses.includes('failed')) return false;
  return statuses.includes('temporary_failure') ? was : !statuses.includes('failed');
}
