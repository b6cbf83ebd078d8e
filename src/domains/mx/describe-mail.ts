/** Describes whether mail for a claim's domain is received here, and why. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import {
  decidedLocality,
  MAIL_CLAIM,
  MAIL_CLAIM_COLUMNS,
  type MailClaim,
  mailClaim,
  type MailDomains,
  needsMx,
  readMailClaim,
  locationOf,
  acceptsMail,
} from './mail-claim.ts';
import { bestHost, type MailLocation } from './mx-state.ts';
import * as clock from '../../model/clock.ts';

/** A claim by its uuid and its name in A-labels. */
interface NamedClaim {
  id: string;
  name: string;
}

export interface MailDescription {
  /** Whether mail from outside is accepted. */
  accepts: boolean;
  /** Whether mail that this installation sends is delivered locally. */
  isLocal: boolean;
  reason: string;
}

const REASONS: Readonly<Record<MailLocation, (name: string, host: string) => string>> = {
  here: (name) => `The MX of ${name} points to this installation.`,
  moved: (name, host) => `The MX of ${name} moved to ${host}.`,
  elsewhere: (name, host) => `The MX of ${name} is ${host}.`,
  unknown: (name) => `The MX of ${name} is unknown, because DNS has not answered yet.`,
};

/** Describes one claim. @param ownHosts the host names of this installation */
export async function describeMail(
  database: Database,
  domains: MailDomains,
  ownHosts: readonly string[],
  claim: NamedClaim,
): Promise<MailDescription> {
  const [described] = await describeMails(database, domains, ownHosts, [claim]);
  if (described === undefined) throw new Error('the claim was not described');
  return described;
}

/** Describes many claims with one statement. The results have the order of the claims. */
export async function describeMails(
  database: Database,
  domains: MailDomains,
  ownHosts: readonly string[],
  claims: readonly NamedClaim[],
): Promise<MailDescription[]> {
  const names = [...new Set(claims.map(({ name }) => name))];
  const { rows } = await columnsOf({ ...MAIL_CLAIM.kinds, domain: 'text' }).sql`
    select a.domain, ${MAIL_CLAIM_COLUMNS} from unnest(${names}::text[]) a (domain) ${mailClaim(domains)}`.execute(
    database,
  );
  const found = new Map(rows.map((row) => [row.domain, readMailClaim(row)]));
  return claims.map((one) => describe(one, found.get(one.name) ?? null, ownHosts));
}

/** @param claim the claim that receives the domain's mail, or null */
function describe(
  { id, name }: NamedClaim,
  claim: MailClaim | null,
  ownHosts: readonly string[],
): MailDescription {
  if (claim === null) {
    const reason = `${name} is not verified yet. Publish its DNS records, then verify it.`;
    return { accepts: false, isLocal: false, reason };
  }
  if (claim.id !== id) {
    const reason = `Another claim on ${name} is verified, and receives its mail.`;
    return { accepts: false, isLocal: false, reason };
  }
  const location = locationOf(claim, claim.mx, ownHosts);
  const accepts = acceptsMail(claim, claim.mx, ownHosts, clock.nowMs()) === 'yes';
  return { accepts, isLocal: location === 'here', reason: reasonOf(claim, location) };
}

function reasonOf(claim: MailClaim, standing: MailLocation): string {
  const { name } = claim;
  if (claim.basis === 'hosted') return `${name} is the hosted domain.`;
  if (claim.deliverLocally !== null)
    return `An operator turned local delivery ${claim.deliverLocally ? 'on' : 'off'} for ${name}.`;
  if (decidedLocality(claim) !== null) return `${name} was verified manually.`;
  const reason = REASONS[standing](name, bestHost(name, claim.mx.hosts ?? []) || 'no host');
  return needsMx(claim) ? `${reason} The domain is no longer verified.` : reason;
}
