/** Checks that the mailboxes of this installation receive their mail. */
import { mailDomains } from '../../app/mail-domains.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { describeMails } from '../../domains/mx/describe-mail.ts';
import * as clock from '../../model/clock.ts';
import { countOperatorMail, OPERATOR_MAIL_LIMITS } from '../../receiving/operators/operator-mail.ts';
import { findMailboxes } from '../../receiving/route/find-mailboxes.ts';
import { judgeQuotas } from '../../receiving/route/check-quota.ts';
import { readAddress } from '../../receiving/route/read-address.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Maximum number of domains that the finding names. Further domains are only counted. */
const MAX_NAMED = 5;
/** The share of the limits for operator mail at which the check warns. Above the limits, mail is deferred. */
const NEARLY_FULL = 0.8;

const CLAIM = columnsOf({ id: 'uuid', name: 'text' });

const UNKNOWN: Finding = problem(
  'Where mail is delivered cannot be checked without the database.',
  'Fix the database first: see the check "database".',
);

/**
 * Checks that this installation receives and delivers the mail of domains with mailboxes or aliases. Uses the stored claims and MX records.
 */
export async function checkMailDomains({ config, database }: World): Promise<Finding> {
  if ('error' in database) return UNKNOWN;
  const { rows: claims } = await CLAIM.sql`
    select d.id, d.name from domains d
    where d.project_id <> ${HOSTED_PROJECT_ID}::uuid and (exists (select from mailboxes m where m.domain_id = d.id) or exists (select from aliases l where l.domain_id = d.id))
    order by d.name, d.id`.execute(database.opened);
  if (claims.length === 0) return ok('No project has a domain with mailboxes.');
  const domains = mailDomains(config);
  const described = await describeMails(database.opened, domains, domains.mxHosts, claims);
  const notReceived: string[] = [];
  const elsewhere: string[] = [];
  for (const { accepts, isLocal, reason } of described)
    if (!accepts) notReceived.push(reason);
    else if (!isLocal) elsewhere.push(reason);
  if (notReceived.length === 0 && elsewhere.length === 0)
    return ok(`Mail for ${count(claims.length)} with mailboxes is received and delivered here.`);
  const seen = [
    ...(notReceived.length === 0 ? [] : [`Mailboxes that receive no mail: ${listed(notReceived)}`]),
    ...(elsewhere.length === 0
      ? []
      : [`Mailboxes for which mail from this installation is delivered elsewhere: ${listed(elsewhere)}`]),
  ];
  return warning(
    seen.join(' '),
    `Publish the records that "posthorn domain show" prints. If a gateway or backup MX forwards the mail to this installation, add its host name with "posthorn domain set --mx".`,
  );
}

/** Checks that a mailbox receives mail to the postmaster of this server (RFC 5321, section 4.5.1). */
export async function checkPostmaster({ config, database }: World): Promise<Finding> {
  const { hostname, postmaster } = config;
  if ('error' in database) return UNKNOWN;
  const stored = await describeStored(database.opened);
  if (postmaster === null)
    return warning(
      `POSTHORN_POSTMASTER is not set. Mail to postmaster@${hostname}, and to postmaster and abuse at domains without such a mailbox, is stored under System for ${OPERATOR_MAIL_LIMITS.days} days: ${stored}.`,
      'Set POSTHORN_POSTMASTER to the address of a local mailbox that you read, and read the stored mail under System, Mail for operators.',
    );
  const address = readAddress(postmaster);
  const [found] =
    address === null || address === 'postmaster'
      ? []
      : await findMailboxes(database.opened, mailDomains(config), [address]);
  const mailboxes = found?.mailboxes ?? [];
  const { withSpace, refusal } = judgeQuotas(mailboxes, null, clock.nowMs());
  if (refusal !== null)
    return problem(
      `The mailbox ${postmaster}, set in POSTHORN_POSTMASTER, is full.`,
      'Free space in that mailbox, or raise its quota (quota_mb).',
    );
  if (withSpace.length > 0) {
    const addresses = withSpace.map(({ address }) => address).join(', ');
    return ok(`Mail to postmaster@${hostname} is delivered to ${addresses}.`);
  }
  return problem(
    `POSTHORN_POSTMASTER is ${postmaster}, but no local mailbox receives mail for that address. Its mail is stored under System: ${stored}.`,
    'Create that mailbox on a verified domain, or set POSTHORN_POSTMASTER to another mailbox.',
  );
}

async function describeStored(database: Database): Promise<string> {
  const { messages, octets } = await countOperatorMail(database);
  const share = Math.max(messages / OPERATOR_MAIL_LIMITS.messages, octets / OPERATOR_MAIL_LIMITS.octets);
  const count = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
  return share < NEARLY_FULL ? count : `${count}, which is ${Math.floor(share * 100)}% of the limit`;
}

function count(domains: number): string {
  return domains === 1 ? 'the one domain' : `all ${domains} domains`;
}

/** @param reasons one or two sentences for each domain */
function listed(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MAX_NAMED).join(' ');
  const rest = reasons.length - MAX_NAMED;
  return rest > 0 ? `${shown} ${rest} more are not listed.` : shown;
}
