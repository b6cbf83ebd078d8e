/** Finds the claim that receives a domain's mail. Decides whether mail for the domain is delivered here. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, outer, type RowOf, shaped } from '../../db/columns.ts';
import type { MxRecord } from '../../net/dns.ts';
import { DAY_MS } from '../../model/day.ts';
import { HOSTED_PROJECT_ID } from '../hosted.ts';
import { type MxState, type MailLocation, locationByMx } from './mx-state.ts';
import { hostsOfClaim, type MxClaim } from './record-mx.ts';

/** Senders should retry for this long if a claim was verified before but its mail cannot be accepted now. */
const TRY_AGAIN_MS = 7 * DAY_MS;

/**
 * The reason why the claim receives the mail of its domain. `lost`: the claim was verified before but is not verified now, and no other
 * claim on the name is verified.
 */
type Basis = 'hosted' | 'verified' | 'by-hand' | 'lost';

/** The columns of `MAIL_CLAIM_COLUMNS`. All are null if no claim receives the mail. */
export const MAIL_CLAIM = columnsOf(
  outer({
    claimId: 'uuid',
    claimProjectId: 'uuid',
    claimName: 'text',
    basis: shaped<Basis>('text'),
    isVerifiedManually: 'bool',
    lastVerifiedAt: 'timestamptz',
    deliverLocally: 'bool',
    gateways: 'text[]',
    hosts: shaped<MxRecord[]>('json'),
    askedAt: 'timestamptz',
    answeredAt: 'timestamptz',
    hereAt: 'timestamptz',
    elsewhereSince: 'timestamptz',
  }),
);
export type MailClaimRow = RowOf<typeof MAIL_CLAIM>;

/** The claim that receives the mail of a domain. */
export interface MailClaim extends MxClaim {
  basis: Basis;
  /** Whether the claim was marked with `domain add --verified`. Always false in production, where such marks do not count. */
  isVerifiedManually: boolean;
  lastVerifiedAt: Date | null;
  /**
   * Whether mail that is sent from this installation is delivered here, if an operator has decided this. If null, the MX records decide.
   */
  deliverLocally: boolean | null;
  gateways: readonly string[];
  mx: MxState;
}

export interface MailDomains {
  /** A-labels, lower case. */
  hostedDomain: string;
  /** Whether claims that were verified by hand count as verified. False in production. */
  trustsManualVerification: boolean;
}

/**
 * SQL to join to a from clause with `a.domain`: the claim that receives the mail of that domain, as `claim`. The first of these that exists
 * receives it: the hosted domain; the verified claim; the oldest claim that was verified by hand; the claim that was verified most
 * recently. Attack: anyone can add `gmail.com` to a project and must not receive its mail, so a claim that was never verified receives no
 * mail, not even from its own project.
 */
export function mailClaim({ hostedDomain, trustsManualVerification }: MailDomains): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select d.project_id, d.id, d.name, h.domain_id is not null as is_verified_manually,
        coalesce(v.last_verified_at, v.verified_at) as last_verified_at,
        case when d.project_id = ${HOSTED_PROJECT_ID}::uuid then 'hosted' when d.status in ('verified', 'warning') then 'verified'
          when h.domain_id is not null then 'by-hand' else 'lost' end as basis
      from domains d
      left join domains_verified_by_hand h on ${trustsManualVerification} and h.project_id = d.project_id and h.domain_id = d.id
      left join domains_first_verified v on v.project_id = d.project_id and v.domain_id = d.id
      where d.name = a.domain
        and case when d.project_id = ${HOSTED_PROJECT_ID}::uuid then d.name = ${hostedDomain}
          else d.status in ('verified', 'warning') or h.domain_id is not null or v.domain_id is not null end
      order by d.project_id = ${HOSTED_PROJECT_ID}::uuid desc, d.status in ('verified', 'warning') desc, h.verified_at nulls last,
        coalesce(v.last_verified_at, v.verified_at) desc nulls last, d.id
      limit 1
    ) claim on true
    left join domain_mx x on x.project_id = claim.project_id and x.domain_id = claim.id`;
}

export const MAIL_CLAIM_COLUMNS = sql`
  claim.id as claim_id, claim.project_id as claim_project_id, claim.name as claim_name, claim.basis, claim.is_verified_manually, claim.last_verified_at,
  x.deliver_locally, x.gateways, x.hosts, x.asked_at, x.answered_at, x.here_at, x.elsewhere_since`;

/** @returns null if no claim receives the domain's mail */
export function readMailClaim(row: MailClaimRow): MailClaim | null {
  const { claimId: id, claimProjectId: projectId, claimName: name, basis, isVerifiedManually } = row;
  if (id === null || projectId === null || name === null || basis === null || isVerifiedManually === null)
    return null;
  const { hosts, askedAt, answeredAt, hereAt, elsewhereSince } = row;
  return {
    projectId,
    id,
    name,
    basis,
    isVerifiedManually,
    lastVerifiedAt: row.lastVerifiedAt,
    deliverLocally: row.deliverLocally,
    gateways: row.gateways ?? [],
    mx: { hosts, askedAt, answeredAt, hereAt, elsewhereSince },
  };
}

/** Whether mail from this installation is delivered here regardless of DNS; null if the MX records decide. */
export function decidedLocality({ basis, isVerifiedManually, deliverLocally }: MailClaim): boolean | null {
  if (basis === 'hosted') return true;
  return deliverLocally ?? (isVerifiedManually ? true : null);
}

/** Where mail for the domain is delivered: here, or elsewhere. @param ownHosts the hosts of this installation */
export function locationOf(claim: MailClaim, mx: MxState, ownHosts: readonly string[]): MailLocation {
  const decided = decidedLocality(claim);
  if (decided !== null) return decided ? 'here' : 'elsewhere';
  return locationByMx(claim.name, mx, hostsOfClaim(ownHosts, claim.gateways));
}

/** Whether the MX records decide if mail from outside is accepted. */
export function needsMx({ basis, deliverLocally }: MailClaim): boolean {
  return basis === 'lost' && deliverLocally !== true;
}

/**
 * Whether mail from outside is accepted. A verified claim accepts all mail, even through a gateway that the operator did not configure. A
 * claim that has lost its records accepts mail while its MX points here. Otherwise, senders should retry (`later`) until a week after the
 * claim was last verified or its MX last pointed here.
 */
export function acceptsMail(
  claim: MailClaim,
  mx: MxState,
  ownHosts: readonly string[],
  nowMs: number,
): 'yes' | 'later' | 'no' {
  if (!needsMx(claim)) return 'yes';
  if (locationByMx(claim.name, mx, hostsOfClaim(ownHosts, claim.gateways)) === 'here') return 'yes';
  const lastMs = Math.max(claim.lastVerifiedAt?.getTime() ?? 0, mx.hereAt?.getTime() ?? 0);
  return nowMs - lastMs < TRY_AGAIN_MS ? 'later' : 'no';
}
