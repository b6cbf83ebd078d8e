/** A project's claim on a domain, read from the database. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import type { ClaimState } from './claim-state.ts';
import { clientRecords } from './client-records.ts';
import { type ExpectedRecord, expectedRecords, type PublicKey } from './expected-records.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import type { Checks } from './look-up-records.ts';
import type { DomainTracking } from './sending-domains.ts';

export interface DomainClaim extends ClaimState, DomainTracking {
  /** The project's uuid; the nil uuid for the hosted domain. */
  projectId: string;
  id: string;
  name: string;
  region: string | null;
  checks: Checks;
  createdAt: Date;
  lastCheckedAt: Date | null;
  /** The time of the next check. Null if the claim is no longer checked automatically. */
  nextCheckAt: Date | null;
  verifiedByHandAt: Date | null;
  /** The DNS zone that contains the domain, and at most ten of its name servers, at the last check. Null if not found. */
  dnsZone: string | null;
  nameServers: readonly string[] | null;
  keys: readonly PublicKey[];
  hasMailboxes: boolean;
}

/**
 * Reads the hosted domain and then the project's claims, oldest first.
 * @param domainId if given, reads only this domain
 */
export async function readClaims(
  database: Database | DatabaseTransaction,
  projectId: string,
  hostedDomain: string,
  domainId?: string,
): Promise<DomainClaim[]> {
  const rows = await database
    .selectFrom('domains as d')
    .leftJoin('domainsVerifiedByHand as h', (join) =>
      join.onRef('h.projectId', '=', 'd.projectId').onRef('h.domainId', '=', 'd.id'),
    )
    .selectAll('d')
    .select('h.verifiedAt as verifiedByHandAt')
    .select((row) =>
      row
        .or([
          row.exists(row.selectFrom('mailboxes as m').select('m.id').whereRef('m.domainId', '=', 'd.id')),
          row.exists(row.selectFrom('aliases as a').select('a.id').whereRef('a.domainId', '=', 'd.id')),
        ])
        .$castTo<boolean>()
        .as('hasMailboxes'),
    )
    .where((where) =>
      where.or([
        where('d.projectId', '=', projectId),
        where.and([where('d.projectId', '=', HOSTED_PROJECT_ID), where('d.name', '=', hostedDomain)]),
      ]),
    )
    .$if(domainId !== undefined, (query) => query.where('d.id', '=', domainId as string))
    // The nil uuid of the hosted domain's project is the smallest, so the hosted domain sorts first.
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

/** A DKIM key without its private key. */
export interface ClaimKey extends PublicKey {
  domainId: string;
  createdAt: Date;
}

/** The keys of the given domains and projects. */
export async function readKeys(
  database: Database | DatabaseTransaction,
  domainIds: readonly string[],
  projectIds: readonly string[],
): Promise<ClaimKey[]> {
  if (domainIds.length === 0) return [];
  return (
    database
      .selectFrom('dkimKeys')
      .select(['domainId', 'selector', 'algorithm', 'publicKey', 'state', 'keepUntil', 'createdAt'])
      .where('projectId', 'in', projectIds)
      .where('domainId', 'in', domainIds)
      // The signing key sorts first.
      .orderBy('state')
      .orderBy('algorithm', 'desc')
      .orderBy('selector')
      .execute()
  );
}

export function isHosted(claim: DomainClaim): boolean {
  return claim.projectId === HOSTED_PROJECT_ID;
}

/** The records of a claim, in display order. A domain without mailboxes has no records for mail apps. */
export function recordsOf(
  { name, keys, hasMailboxes }: Pick<DomainClaim, 'name' | 'keys' | 'hasMailboxes'>,
  mailAccess: MailAccess,
): ExpectedRecord[] {
  return [
    ...expectedRecords(name, keys, mailAccess.hostname),
    ...(hasMailboxes ? clientRecords(name, mailAccess) : []),
  ];
}
