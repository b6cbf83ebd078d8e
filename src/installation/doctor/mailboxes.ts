/** Whether mail finds its way into the mailboxes that are here. */
import { mailDomains } from '../../app/mail-domains.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { describeMails } from '../../domains/mx/describe-mail.ts';
import * as clock from '../../model/clock.ts';
import { countOperatorMail, OPERATOR_MAIL_LIMITS } from '../../receiving/operators/operator-mail.ts';
import { findMailboxes } from '../../receiving/route/find-mailboxes.ts';
import { judgeRooms } from '../../receiving/route/check-quota.ts';
import { readAddress } from '../../receiving/route/read-address.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** The others are counted. */
const MAX_NAMED = 5;
/** Of the mail for operators. Beyond its limits senders are told to come back later. */
const NEARLY_FULL = 0.8;

const CLAIM = columnsOf({ id: 'uuid', name: 'text' });

const UNKNOWN: Finding = problem(
  'Where mail goes cannot be told without the database.',
  'Put the database right first: see the check database.',
);

/** Whether the mail of domains with mailboxes or aliases is received and delivered here, by what is known of their claims and MX records. */
export async function checkMailDomains({ config, database }: World): Promise<Finding> {
  if ('error' in database) return UNKNOWN;
  const { rows: claims } = await CLAIM.sql`
    select d.id, d.name from domains d
    where d.project_id <> ${HOSTED_PROJECT_ID}::uuid and (exists (select from mailboxes m where m.domain_id = d.id) or exists (select from aliases l where l.domain_id = d.id))
    order by d.name, d.id`.execute(database.opened);
  if (claims.length === 0) return ok('No domain of a project has mailboxes.');
  const domains = mailDomains(config);
  const described = await describeMails(database.opened, domains, domains.mxHosts, claims);
  const notReceived: string[] = [];
  const elsewhere: string[] = [];
  for (const { accepts, isLocal, reason } of described)
    if (!accepts) notReceived.push(reason);
    else if (!isLocal) elsewhere.push(reason);
  if (notReceived.length === 0 && elsewhere.length === 0)
    return ok(`The mail of ${count(claims.length)} with mailboxes comes here.`);
  const seen = [
    ...(notReceived.length === 0 ? [] : [`Mailboxes that receive no mail: ${named(notReceived)}`]),
    ...(elsewhere.length === 0
      ? []
      : [`Mailboxes whose mail is sent elsewhere from here: ${named(elsewhere)}`]),
  ];
  return warning(
    seen.join(' '),
    `Publish the records that "posthorn domain show" prints. If a gateway or backup MX passes the mail on to this installation, name it with "posthorn domain set --mx".`,
  );
}

/** Whether a mailbox gets the mail to the postmaster of this server (RFC 5321, section 4.5.1). */
export async function checkPostmaster({ config, database }: World): Promise<Finding> {
  const { hostname, postmaster } = config;
  if ('error' in database) return UNKNOWN;
  const kept = await keptWords(database.opened);
  if (postmaster === null)
    return warning(
      `POSTHORN_POSTMASTER is not set. Mail to postmaster@${hostname}, and to postmaster and abuse of domains without such a mailbox, is kept under System for ${OPERATOR_MAIL_LIMITS.days} days: ${kept}.`,
      'Set POSTHORN_POSTMASTER to the address of a mailbox here that you read, and read what is kept under System, Mail for operators.',
    );
  const asked = readAddress(postmaster);
  const [found] =
    asked === null || asked === 'postmaster'
      ? []
      : await findMailboxes(database.opened, mailDomains(config), [asked]);
  const mailboxes = found?.mailboxes ?? [];
  const { roomy, refusal } = judgeRooms(mailboxes, null, clock.nowMs());
  if (refusal !== null)
    return problem(`${postmaster}, which POSTHORN_POSTMASTER names, is full.`, 'Make room in that mailbox.');
  if (roomy.length > 0) {
    const addresses = roomy.map(({ address }) => address).join(', ');
    return ok(`Mail to postmaster@${hostname} goes to ${addresses}.`);
  }
  return problem(
    `POSTHORN_POSTMASTER is ${postmaster}, and no mailbox here gets mail for that address. Its mail is kept under System: ${kept}.`,
    'Make that mailbox on a verified domain, or name another one.',
  );
}

async function keptWords(database: Database): Promise<string> {
  const { messages, octets } = await countOperatorMail(database);
  const share = Math.max(messages / OPERATOR_MAIL_LIMITS.messages, octets / OPERATOR_MAIL_LIMITS.octets);
  const words = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
  return share < NEARLY_FULL ? words : `${words}, which is ${Math.floor(share * 100)} % of what may be kept`;
}

function count(domains: number): string {
  return domains === 1 ? 'the one domain' : `all ${domains} domains`;
}

/** @param reasons a sentence or two for each domain */
function named(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MAX_NAMED).join(' ');
  const rest = reasons.length - MAX_NAMED;
  return rest > 0 ? `${shown} And ${rest} more.` : shown;
}
