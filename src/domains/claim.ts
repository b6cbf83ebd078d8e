/** A project's claim on a domain: read from the database, and as the API shows it. */
import { bodyOf } from '../contract/body-of.ts';
import { Domain, type DomainRecord } from '../contract/domains.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import type { ClaimState } from './claim-state.ts';
import { type ExpectedRecord, expectedRecords, namesHost, type PublicKey } from './expected-records.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { hostNameFault } from './host-name.ts';
import { type Checks, checkKey } from './look-up-records.ts';

export interface Claim extends ClaimState {
  /** The nil project's uuid for the hosted domain. */
  projectId: string;
  id: string;
  name: string;
  region: string | null;
  checks: Checks;
  createdAt: Date;
  lastCheckedAt: Date | null;
  verifiedByHandAt: Date | null;
  keys: readonly PublicKey[];
}

/**
 * The hosted domain first, then the project's claims, oldest first.
 * @param domainId only this one
 */
export async function readClaims(
  database: Database | DatabaseTransaction,
  projectId: string,
  hostedDomain: string,
  domainId?: string,
): Promise<Claim[]> {
  const rows = await database
    .selectFrom('domains as d')
    .leftJoin('domainsVerifiedByHand as h', (join) =>
      join.onRef('h.projectId', '=', 'd.projectId').onRef('h.domainId', '=', 'd.id'),
    )
    .selectAll('d')
    .select('h.verifiedAt as verifiedByHandAt')
    .where((where) =>
      where.or([
        where('d.projectId', '=', projectId),
        where.and([where('d.projectId', '=', HOSTED_PROJECT_ID), where('d.name', '=', hostedDomain)]),
      ]),
    )
    .$if(domainId !== undefined, (query) => query.where('d.id', '=', domainId as string))
    // The nil project sorts first: its uuid is the least of all.
    .orderBy('d.projectId')
    .orderBy('d.id')
    .execute();
  const keys = await readKeys(
    database,
    rows.map(({ id }) => id),
    [...new Set(rows.map((row) => row.projectId))],
  );
  return rows.map((row) => ({
    ...row,
    checks: (row.checks ?? {}) as Checks,
    keys: keys.filter(({ domainId: of }) => of === row.id),
  }));
}

/** The keys of some domains of some projects. */
export async function readKeys(
  database: Database | DatabaseTransaction,
  domainIds: readonly string[],
  projectIds: readonly string[],
): Promise<(PublicKey & { domainId: string })[]> {
  if (domainIds.length === 0) return [];
  return database
    .selectFrom('dkimKeys')
    .select(['domainId', 'selector', 'algorithm', 'publicKey'])
    .where('projectId', 'in', projectIds)
    .where('domainId', 'in', domainIds)
    .orderBy('algorithm', 'desc')
    .orderBy('selector')
    .execute();
}

export function isHosted(claim: Claim): boolean {
  return claim.projectId === HOSTED_PROJECT_ID;
}

const claimBody = bodyOf(Domain);

export interface ShowOptions {
  /** What MX records point to. */
  hostname: string;
  /** Whether claims that were verified by hand count: never in production. */
  trustsHand: boolean;
}

/** docs/contract.md, Domain. */
export function domainBody(claim: Claim, { hostname, trustsHand }: ShowOptions): Domain {
  const hosted = isHosted(claim);
  const byHand = trustsHand && claim.status !== 'verified' && claim.verifiedByHandAt !== null;
  return claimBody({
    ...claim,
    id: encodeId('dom', claim.id),
    domain: claim.name,
    isHosted: hosted,
    // The flags and the records go on telling what DNS has.
    ...(byHand && { status: 'verified', verifiedAt: claim.verifiedByHandAt }),
    verifiedByHand: byHand || undefined,
    // The operator vouches for the hosted domain: its records are never checked.
    spfVerified: hosted || claim.spfVerified,
    dkimVerified: hosted || claim.dkimVerified,
    mailFromVerified: hosted || claim.mailFromVerified,
    // The operator publishes the records of the hosted domain.
    records: hosted
      ? []
      : expectedRecords(claim.name, claim.keys, hostname).map((record) =>
          recordBody(record, claim.checks, hostname),
        ),
  });
}

function recordBody(record: ExpectedRecord, checks: Checks, hostname: string): DomainRecord {
  const { status = 'pending', found = [], error = null } = checks[checkKey(record)] ?? {};
  const fault = namesHost(record) ? hostNameFault(hostname) : null;
  return { ...record, status, found, error: fault ?? error };
}
