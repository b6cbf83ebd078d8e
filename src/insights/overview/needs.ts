import { type NotNull, sql } from 'kysely';
import { readUsage } from '../../accounts/usage.ts';
import type { Need } from '../../contract/dashboard/overview.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { maySend } from '../../domains/sending-domains.ts';
import { fixByOf, hasTolerated } from '../../domains/tolerate.ts';
import { encodeId } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import { PLAN_LIMITS, type Plan } from '../../model/plans.ts';
import { readPause } from '../../queue/pause.ts';

/** The maximum number of items of each kind. Further items are listed on their own page. */
const SHOWN = 5;
/** A key is listed from this long before its expiry until this long after its expiry. */
const EXPIRES_MS = 14 * DAY_MS;
/** A limit is listed once this share of the limit is used. */
const NEARLY = 0.8;
const NUMBER = new Intl.NumberFormat('en');
/** The date format of the pages: "3 Nov 2025". */
const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/**
 * Finds items of a project that need attention, the most urgent first.
 * @param trustsManualVerification whether domains that were verified manually may send
 */
export async function findNeeds(
  database: Database,
  projectId: string,
  trustsManualVerification: boolean,
): Promise<Need[]> {
  const pause = await readPause(database);
  const paused: Need[] =
    pause === null
      ? []
      : [
          {
            kind: 'paused',
            tone: 'bad',
            id: null,
            text: 'Sending is paused. Emails are accepted and stay queued until an operator resumes sending: posthorn queue resume.',
          },
        ];
  return [
    ...paused,
    ...(await domainNeeds(database, projectId, trustsManualVerification)),
    ...(await webhookNeeds(database, projectId)),
    ...(await mailboxNeeds(database, projectId)),
    ...(await planNeeds(database, projectId)),
    ...(await keyNeeds(database, projectId)),
  ];
}

async function domainNeeds(
  database: Database,
  projectId: string,
  trustsManualVerification: boolean,
): Promise<Need[]> {
  const rows = await database
    .selectFrom('domains')
    .select(['id', 'name', 'status', 'checks'])
    .where('projectId', '=', projectId)
    .where((row) =>
      row.or([row('status', '=', 'warning'), row.not(maySend(trustsManualVerification)), hasTolerated()]),
    )
    .orderBy(sql`status = 'warning'`, 'desc')
    .orderBy('id')
    .limit(SHOWN)
    .execute();
  return rows.flatMap(({ id, name, status, checks }) => {
    const need = { kind: 'domain' as const, id: encodeId('dom', id) };
    if (status === 'warning')
      return {
        ...need,
        tone: 'bad' as const,
        text: `DNS records of ${name} are missing. You can still send from it for up to 72 hours.`,
      };
    if (status !== 'verified')
      return {
        ...need,
        tone: 'warn' as const,
        text: `${name} is not verified: some of its DNS records are missing.`,
      };
    const fixBy = fixByOf(checks);
    return fixBy === null
      ? []
      : {
          ...need,
          tone: 'warn' as const,
          text: `Receivers reject DNS records of ${name}. Correct them by ${DATE.format(Date.parse(fixBy))}.`,
        };
  });
}

async function webhookNeeds(database: Database, projectId: string): Promise<Need[]> {
  const rows = await database
    .selectFrom('webhooks')
    .select(['id', 'url', 'enabled'])
    .where('projectId', '=', projectId)
    .where((row) => row.or([row('disabledReason', 'is not', null), row('failingSince', 'is not', null)]))
    .orderBy('id')
    .limit(SHOWN)
    .execute();
  return rows.map(({ id, url, enabled }) => ({
    kind: 'webhook' as const,
    tone: enabled ? ('warn' as const) : ('bad' as const),
    id: encodeId('wh', id),
    text: enabled
      ? `Webhook deliveries to ${url} are failing. Posthorn keeps retrying them.`
      : `${url} was disabled, because all its deliveries failed for five days.`,
  }));
}

async function mailboxNeeds(database: Database, projectId: string): Promise<Need[]> {
  const rows = await database
    .selectFrom('sendingLocks')
    .innerJoin('mailboxes', (join) =>
      join
        .onRef('mailboxes.projectId', '=', 'sendingLocks.projectId')
        .onRef('mailboxes.id', '=', 'sendingLocks.mailboxId'),
    )
    .select(['mailboxId', 'localPart', 'domain'])
    .where('sendingLocks.projectId', '=', projectId)
    .where('lockedAt', 'is not', null)
    .orderBy('mailboxId')
    .limit(SHOWN)
    .execute();
  return rows.map(({ mailboxId, localPart, domain }) => ({
    kind: 'mailbox' as const,
    tone: 'bad' as const,
    id: encodeId('mbx', mailboxId),
    text: `${localPart}@${domain} cannot send: most of its mail bounced or was reported as spam.`,
  }));
}

async function planNeeds(database: Database, projectId: string): Promise<Need[]> {
  const { plan } = await database
    .selectFrom('projects')
    .select('plan')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const limits = limitsOf(plan);
  if (limits.length === 0) return [];
  const usage = await readUsage(database, projectId, monthOf(new Date(clock.nowMs())));
  return limits
    .map(({ name, limit, of }) => ({ name, limit, used: usage[of] }))
    .filter(({ limit, used }) => used >= limit * NEARLY)
    .map(({ name, limit, used }) => ({
      kind: 'plan' as const,
      tone: used >= limit ? ('bad' as const) : ('warn' as const),
      id: null,
      text: `${NUMBER.format(used)} of ${NUMBER.format(limit)} ${name} in the ${plan} plan are used.`,
    }));
}

/** The limits that can be used up unnoticed. For a plan without a limit, counting the emails would take long and have no use. */
function limitsOf(plan: Plan): { name: string; limit: number; of: 'apiEmails' | 'mailboxEmails' }[] {
  const { apiEmailsPerMonth, mailboxEmailsPerMonth } = PLAN_LIMITS[plan];
  return [
    ...(apiEmailsPerMonth === null
      ? []
      : [{ name: 'emails a month', limit: apiEmailsPerMonth, of: 'apiEmails' as const }]),
    ...(mailboxEmailsPerMonth === null
      ? []
      : [
          {
            name: 'emails a month from mailboxes',
            limit: mailboxEmailsPerMonth,
            of: 'mailboxEmails' as const,
          },
        ]),
  ];
}

async function keyNeeds(database: Database, projectId: string): Promise<Need[]> {
  const nowMs = clock.nowMs();
  const rows = await database
    .selectFrom('apiKeys')
    .select(['id', 'name', 'expiresAt'])
    .where('projectId', '=', projectId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '<', new Date(nowMs + EXPIRES_MS))
    .where('expiresAt', '>', new Date(nowMs - EXPIRES_MS))
    .$narrowType<{ expiresAt: NotNull }>()
    .orderBy('expiresAt')
    .limit(SHOWN)
    .execute();
  return rows.map(({ id, name, expiresAt }) => ({
    kind: 'api-key' as const,
    tone: expiresAt.getTime() < nowMs ? ('bad' as const) : ('warn' as const),
    id: encodeId('key', id),
    text: `The API key ${name} ${expiresAt.getTime() < nowMs ? 'expired' : 'expires'} on ${DATE.format(expiresAt)}.`,
  }));
}
