/**
 * Checks the records of a claim and stores the result. Several projects may claim one name, but only one of the claims can be verified. A
 * verified claim loses the name only when its own DKIM record is gone from DNS. So if the records of two projects are published, neither
 * can take the name from the other by verifying again.
 */
import { sql } from 'kysely';
import * as clock from '../model/clock.ts';
import { within } from '../concurrency/within.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { RecordResolver } from '../net/zone-dns.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type DomainClaim, type ClaimKey, readKeys, recordsOf } from './claim.ts';
import { nextCheckAt, nextState } from './claim-state.ts';
import { moveKeys } from './dkim-rotation.ts';
import { expectedKeys, type ExpectedRecord } from './expected-records.ts';
import { noteVerified } from './first-verified.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { type RecordCheck, MAX_STORED_RECORDS } from './judge-record.ts';
import { type Checks, checkKey, lookUpRecords } from './look-up-records.ts';
import { mxAnswerOfCheck, recordMx } from './mx/record-mx.ts';
import { moveToOwnKeys } from './own-service-keys.ts';
import { tolerate } from './tolerate.ts';

/** The maximum time to find the zone of a domain. */
const ZONE_MS = 5_000;

export interface VerifyOptions {
  database: Database;
  /** @returns a resolver with a time limit for one check of a domain */
  dnsOf(domain: string): RecordResolver;
  mailAccess: MailAccess;
  /** The other hosts of this installation, besides the one that the records point to. */
  mxNames?: readonly string[];
  /** Whether mail is sent from the addresses of the host, and not by a smart host or Amazon SES. Default: true. */
  sendsDirectly?: boolean;
  /** A clock, for tests. */
  nowMs?: () => number;
}

/** A verified claim of another project on the same name. */
interface Rival {
  projectId: string;
  id: string;
  verifiedAt: Date | null;
  checks: Checks;
}

/**
 * Whether another project's verified claim still keeps the name. `none`: there is no such claim. `published`: the record of one of its keys
 * is in DNS. `gone`: no such record is in DNS. `unknown`: DNS did not answer, or another claim was verified during the check.
 */
type Contest = 'none' | 'published' | 'gone' | 'unknown';

/**
 * Checks a claim that was just read. Returns once the result is committed, or after the claim was removed.
 * @param isRequestedByUser whether a user requested the check. If so, the user has probably just published the records, so further checks
 * follow soon
 */
export async function verifyClaim(
  { database, dnsOf, mailAccess, mxNames = [], sendsDirectly = true, nowMs = clock.nowMs }: VerifyOptions,
  claim: DomainClaim,
  isRequestedByUser: boolean,
): Promise<void> {
  const checkedAt = new Date(nowMs());
  const records = recordsOf(claim, mailAccess);
  const rival = await findRival(database, claim);
  const rivalKeys = rival === null ? [] : expectedKeys(claim.name, await keysOfRival(database, rival));
  const resolver = dnsOf(claim.name);
  // DNS is slow, so no locks are held during the look-ups.
  const [lookedUp, rivalLookedUp, zone] = await Promise.all([
    lookUpRecords(resolver, claim.name, records, sendsDirectly),
    lookUpRecords(resolver, claim.name, rivalKeys),
    within(ZONE_MS, resolver.zone(claim.name), null),
  ]);
  await database.transaction().execute(async (tx) => {
    // This lock lets only one verification of a name run at a time. Rows are locked only while it is held, which prevents deadlocks.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`domains/${claim.name}`}, 0))`.execute(tx);
    const before = await tx
      .selectFrom('domains')
      .selectAll()
      .where((row) => rowIs(row, { projectId: claim.projectId, id: claim.id }))
      // Unlike `forUpdate`, this lock lets mailboxes be created on the domain in the meantime.
      .forNoKeyUpdate()
      .executeTakeFirst();
    // Discard the results if the claim was removed, or if a check that started later has already finished.
    if (before === undefined || (before.lastCheckedAt !== null && before.lastCheckedAt > checkedAt)) return;
    const checks = tolerate(lookedUp, before, checkedAt);
    const rivalNow = await findRival(tx, claim);
    const rivalChecks = tolerate(
      rivalLookedUp,
      { status: 'verified', checks: rivalNow?.checks ?? {} },
      checkedAt,
    );
    const contest = judgeContest(rival, rivalNow, Object.values(rivalChecks));
    const seen = contested(checks, records, rivalKeys, contest);
    const mayVerify = contest === 'none' || contest === 'gone';
    const isOfInstallation = claim.projectId === HOSTED_PROJECT_ID;
    if (
      isOfInstallation &&
      !(await moveToOwnKeys(tx, before, { checks: seen, seenAt: checkedAt, mailAccess }))
    )
      return;
    const keys = await moveKeys(tx, before, seen, checkedAt);
    // Discard the results if a key was added or activated after the look-ups, because its record was not looked up.
    if (expectedKeys(claim.name, keys.filter(isActive)).some((key) => seen[checkKey(key)] === undefined))
      return;
    const expected = recordsOf({ ...claim, keys }, mailAccess);
    const after = nextState(before, expected, seen, mayVerify, checkedAt);
    if (rivalNow !== null && after.status === 'verified')
      await resetRival(tx, rivalNow, rivalChecks, checkedAt);
    const wasSendable = before.status === 'verified' || before.status === 'warning';
    if (wasSendable || after.status === 'verified')
      await noteVerified(tx, claim, before.verifiedAt ?? after.verifiedAt ?? checkedAt, checkedAt);
    const pendingSince = isRequestedByUser || wasSendable ? checkedAt : before.pendingSince;
    const next = nextCheckAt(after.status, pendingSince, checkedAt);
    await tx
      .updateTable('domains')
      .set({
        ...after,
        status: after.status === 'pending' && next === null ? 'failed' : after.status,
        checks: JSON.stringify(seen),
        dnsZone: zone?.name ?? null,
        nameServers: zone?.nameServers.slice(0, MAX_STORED_RECORDS) ?? null,
        lastCheckedAt: checkedAt,
        pendingSince,
        nextCheckAt: earliest([next, ...keys.map((key) => keyDueAt(key, isRequestedByUser, checkedAt))]),
      })
      .where((row) => rowIs(row, { projectId: claim.projectId, id: claim.id }))
      .execute();
    const mx = seen[`MX ${claim.name}`];
    // If the list is full, it may lack the record with the lowest preference value, so do not store it. The next delivery will query DNS
    // for all MX records.
    if (mx !== undefined && mx.found.length < MAX_STORED_RECORDS)
      await recordMx(tx, claim, [mailAccess.hostname, ...mxNames], mxAnswerOfCheck(mx), checkedAt);
  });
}

/** The keys whose records in DNS keep the name for the rival. A retiring key no longer signs and does not count. */
async function keysOfRival(database: Database, { projectId, id }: Rival): Promise<ClaimKey[]> {
  return (await readKeys(database, [id], [projectId])).filter(({ state }) => state !== 'retiring');
}

function isActive({ state }: ClaimKey): boolean {
  return state === 'active';
}

/**
 * When a key needs a check. A `next` key is checked at the intervals of a new claim; a `retiring` key is deleted by the first check after
 * it expires.
 */
function keyDueAt(
  { state, createdAt, keepUntil }: ClaimKey,
  isRequestedByUser: boolean,
  now: Date,
): Date | null {
  return state === 'next' ? nextCheckAt('pending', isRequestedByUser ? now : createdAt, now) : keepUntil;
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const [first] = times.filter((time) => time !== null).toSorted((a, b) => a.getTime() - b.getTime());
  return first ?? null;
}

async function findRival(
  database: Database | DatabaseTransaction,
  { projectId, name }: DomainClaim,
): Promise<Rival | null> {
  // A domain of the installation has its own keys, and never takes the name from a project.
  if (projectId === HOSTED_PROJECT_ID) return null;
  const row = await database
    .selectFrom('domains')
    .select(['projectId', 'id', 'verifiedAt', 'checks'])
    .where('name', '=', name)
    .where('status', 'in', ['verified', 'warning'])
    // This condition and the one on the status let PostgreSQL use the index of verified claims.
    .where('projectId', '<>', sql.lit(HOSTED_PROJECT_ID))
    .where('projectId', '<>', projectId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, checks: (row.checks ?? {}) as Checks };
}

function judgeContest(before: Rival | null, now: Rival | null, keys: readonly RecordCheck[]): Contest {
  if (now === null) return 'none';
  if (before?.id !== now.id) return 'unknown';
  if (keys.some(({ status }) => status === 'verified')) return 'published';
  return keys.some(({ status }) => status === 'temporary_failure') ? 'unknown' : 'gone';
}

/** Adds an error to the DKIM record that explains why a claim is not verified although its records are complete. */
function contested(
  checks: Checks,
  records: readonly ExpectedRecord[],
  rivalKeys: readonly ExpectedRecord[],
  contest: Contest,
): Checks {
  if (contest !== 'published' && contest !== 'unknown') return checks;
  const names = rivalKeys.map(({ name }) => name).join(' and ');
  const status = contest === 'published' ? 'failed' : 'temporary_failure';
  const error =
    contest === 'published'
      ? `The domain is verified in another project, whose DKIM record is still at ${names}. Remove that record, then verify the domain again.`
      : 'The domain is verified in another project, and the DNS query for the records of that project failed. Verify the domain again later.';
  const seen = { ...checks };
  for (const key of records.filter(({ record }) => record === 'DKIM').map(checkKey)) {
    const check = seen[key];
    if (check?.status === 'verified') seen[key] = { ...check, status, error };
  }
  return seen;
}

/** Resets a verified claim whose key is gone from DNS, because the records of another claim on the name are complete. */
async function resetRival(
  tx: DatabaseTransaction,
  rival: Rival,
  rivalChecks: Checks,
  now: Date,
): Promise<void> {
  // A worker of an earlier version may have verified the rival without recording it. The time is just before `now`, because a name's mail
  // goes to the claim that was verified last, and this must be the new owner.
  await noteVerified(tx, rival, rival.verifiedAt ?? now, new Date(now.getTime() - 1));
  await tx
    .updateTable('domains')
    .set({
      status: 'pending',
      dkimVerified: false,
      verifiedAt: null,
      warningSince: null,
      pendingSince: now,
      nextCheckAt: nextCheckAt('pending', now, now),
      checks: JSON.stringify({ ...rival.checks, ...rivalChecks }),
    })
    .where((row) => rowIs(row, { projectId: rival.projectId, id: rival.id }))
    .execute();
}
