/** Which claim has the mail of a domain, and whether that mail stays here. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, outer, type RowOf, shaped } from '../../db/columns.ts';
import type { MxRecord } from '../../net/dns.ts';
import { DAY_MS } from '../../model/day.ts';
import { HOSTED_PROJECT_ID } from '../hosted.ts';
import { type MxState, type MxStanding, mxStanding } from './mx-state.ts';
import { hostsOfClaim, type MxClaim } from './record-mx.ts';

/** For how long senders are asked to try again when a claim that was verified cannot be served. */
const TRY_AGAIN_MS = 7 * DAY_MS;

/** What the claim rests on; `lost`: it was verified once, is not any more, and no other claim on the name is. */
type Basis = 'hosted' | 'verified' | 'by-hand' | 'lost';

/** What `MAIL_CLAIM_COLUMNS` selects. Where no claim has the mail all of it is null. */
export const MAIL_CLAIM = columnsOf(
  outer({
    claimId: 'uuid',
    claimProjectId: 'uuid',
    claimName: 'text',
    basis: shaped<Basis>('text'),
    isByHand: 'bool',
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

/** The claim that has the mail of a domain. */
export interface MailClaim extends MxClaim {
  basis: Basis;
  /** Marked with `domain add --verified`, where such marks count. */
  isByHand: boolean;
  lastVerifiedAt: Date | null;
  /** What an operator decided; null: as the MX records say. */
  deliverLocally: boolean | null;
  gateways: readonly string[];
  mx: MxState;
}

export interface MailDomains {
  /** A-labels, lower case. */
  hostedDomain: string;
  /** Whether claims count that were verified by hand: never in production. */
  trustsManualVerification: boolean;
}

/**
 * SQL to be joined to a from clause with `a.domain`: the claim that has the mail of that domain, as `claim`. It is the hosted domain, else the
 * verified claim, else one that was verified by hand, else the claim that was verified last. Attack: anyone may add `gmail.com` to a project, and
 * must get nothing that is sent there, so a claim that was never verified is not found, not even for its own project.
 */
export function mailClaim({ hostedDomain, trustsManualVerification }: MailDomains): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select d.project_id, d.id, d.name, h.domain_id is not null as is_by_hand,
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
  claim.id as claim_id, claim.project_id as claim_project_id, claim.name as claim_name, claim.basis, claim.is_by_hand, claim.last_verified_at,
  x.deliver_locally, x.gateways, x.hosts, x.asked_at, x.answered_at, x.here_at, x.elsewhere_since`;

/** Null: no claim has the domain's mail. */
export function readMailClaim(row: MailClaimRow): MailClaim | null {
  const { claimId: id, claimProjectId: projectId, claimName: name, basis, isByHand } = row;
  if (id === null || projectId === null || name === null || basis === null || isByHand === null) return null;
  const { hosts, askedAt, answeredAt, hereAt, elsewhereSince } = row;
  return {
    projectId,
    id,
    name,
    basis,
    isByHand,
    lastVerifiedAt: row.lastVerifiedAt,
    deliverLocally: row.deliverLocally,
    gateways: row.gateways ?? [],
    mx: { hosts, askedAt, answeredAt, hereAt, elsewhereSince },
  };
}

/** Whether mail from here stays here whatever DNS says; null: its MX decides. */
export function decidedStanding({ basis, isByHand, deliverLocally }: MailClaim): boolean | null {
  if (basis === 'hosted') return true;
  return deliverLocally ?? (isByHand ? true : null);
}

/** Where mail for the domain goes. @param ours hosts of this installation */
export function standingOf(claim: MailClaim, mx: MxState, ours: readonly string[]): MxStanding {
  const decided = decidedStanding(claim);
  if (decided !== null) return decided ? 'here' : 'elsewhere';
  return mxStanding(claim.name, mx, hostsOfClaim(ours, claim.gateways));
}

/** Whether mail from outside depends on the answer about the MX. */
export function needsMx({ basis, deliverLocally }: MailClaim): boolean {
  return basis === 'lost' && deliverLocally !== true;
}

/**
 * Whether mail from outside is accepted. A verified claim accepts all that arrives, also what a gateway passes on that no operator named. One that lost
 * its records accepts mail while its MX is here; else senders are asked to try again for a week after it could last be served (`later`).
 */
export function takesMail(
  claim: MailClaim,
  mx: MxState,
  ours: readonly string[],
  nowMs: number,
): 'yes' | 'later' | 'no' {
  if (!needsMx(claim)) return 'yes';
  if (mxStanding(claim.name, mx, hostsOfClaim(ours, claim.gateways)) === 'here') return 'yes';
  const lastMs = Math.max(claim.lastVerifiedAt?.getTime() ?? 0, mx.hereAt?.getTime() ?? 0);
  return nowMs - lastMs < TRY_AGAIN_MS ? 'later' : 'no';
}
