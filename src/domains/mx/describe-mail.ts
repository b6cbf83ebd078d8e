/** Says whether the mail of a claim's domain comes here, and why. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import {
  decidedStanding,
  MAIL_CLAIM_COLUMNS,
  mailClaim,
  type MailClaimRow,
  type MailDomains,
  needsMx,
  readMailClaim,
  standingOf,
  takesMail,
} from './mail-claim.ts';
import { bestHost, type MxStanding } from './mx-state.ts';
import * as clock from '../../model/clock.ts';

export interface MailDescription {
  /** Whether mail from outside is accepted. */
  accepts: boolean;
  /** Whether mail that is sent from here is delivered here. */
  isLocal: boolean;
  reason: string;
}

const REASONS: Readonly<Record<MxStanding, (name: string, host: string) => string>> = {
  here: (name) => `The MX of ${name} is here.`,
  moved: (name, host) => `The MX of ${name} moved to ${host}.`,
  elsewhere: (name, host) => `The MX of ${name} is ${host}.`,
  unknown: (name) => `DNS has not answered yet where the MX of ${name} is.`,
};

/** @param ours names of the hosts of this installation */
export async function describeMail(
  database: Database,
  domains: MailDomains,
  ours: readonly string[],
  { id, name }: { id: string; name: string },
): Promise<MailDescription> {
  const { rows } = await sql<MailClaimRow>`
    select ${MAIL_CLAIM_COLUMNS} from (select ${name}::text as domain) a ${mailClaim(domains)}`.execute(
    database,
  );
  const claim = rows[0] === undefined ? null : readMailClaim(rows[0]);
  if (claim === null) {
    const reason = `${name} was never verified. Publish its DNS records, then verify it.`;
    return { accepts: false, isLocal: false, reason };
  }
  if (claim.id !== id) {
    const reason = `Another claim on ${name} is verified, and has its mail.`;
    return { accepts: false, isLocal: false, reason };
  }
  const standing = standingOf(claim, claim.mx, ours);
  const accepts = takesMail(claim, claim.mx, ours, clock.nowMs()) === 'yes';
  return { accepts, isLocal: standing === 'here', reason: reasonOf() };

  function reasonOf(): string {
    if (claim === null || claim.basis === 'hosted') return 'It is the hosted domain.';
    if (claim.deliverLocally !== null)
      return `An operator turned local delivery ${claim.deliverLocally ? 'on' : 'off'}.`;
    if (decidedStanding(claim) !== null) return 'It was verified by hand.';
    const reason = REASONS[standing](name, bestHost(name, claim.mx.hosts ?? []) || 'no host');
    return needsMx(claim) ? `${reason} The claim is not verified any more.` : reason;
  }
}
