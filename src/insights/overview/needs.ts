/** Problems of a project, in order of danger: what blocks mail or endangers it, with the page where it can be fixed. */
import { type NotNull, sql } from 'kysely';
import { readUsage } from '../../accounts/usage.ts';
import type { Health } from '../../contract/dashboard/health.ts';
import type { Need } from '../../contract/dashboard/overview.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { WARNING_MS } from '../../domains/claim-state.ts';
import { maySend } from '../../domains/sending-domains.ts';
import { fixByOf, hasTolerated } from '../../domains/tolerate.ts';
import { countText, dateText, percentageText } from '../../model/formats.ts';
import { encodeId } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import { PLAN_LIMITS, type Plan } from '../../model/plans.ts';
import { dangerOf, type ReputationRate } from '../../model/reputation.ts';
import { outcomesOf, type Outcomes } from '../counts/outcomes.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import { stepsOf } from './metrics.ts';
import { MAX_SNOOZES, withSnoozes } from './snoozes.ts';

/** The maximum number of items of each kind that the user has not hidden. Further items are listed on their own page. */
const SHOWN = 5;
/** The maximum number of items of each kind that are read, the most dangerous first: more than a user can hide. */
export const READ = MAX_SNOOZES + SHOWN;
/** A key is listed from this long before its expiry until this long after its expiry. */
const EXPIRES_MS = 14 * DAY_MS;
/** A limit is listed once this share of the limit is used. */
const NEARLY = 0.8;
/** A domain that was never verified is listed if it is older than this: until then its owner is probably adding the records. */
const NEW_DOMAIN_MS = DAY_MS;
const IS_BY_HAND = sql<boolean>`exists (
  select from domains_verified_by_hand h where h.project_id = domains.project_id and h.domain_id = domains.id)`;

interface ProjectNeedsOf {
  projectId: string;
  health: Health;
  /** Whether domains that were verified manually may send. */
  trustsManualVerification: boolean;
  /** The number of days for which the installation keeps emails. Null to keep them forever. */
  keepDays: number | null;
}

interface NeedsOf extends ProjectNeedsOf {
  /** The needs that this user has hidden are marked. */
  userId: string;
}

/** The fields of a need that differ from the defaults of `needOf`. */
type Found = Pick<Need, 'kind' | 'severity' | 'tone' | 'text'> & {
  id?: string;
  since?: Date | null;
  query?: string;
  level?: number;
  /** What makes the problem a new one. */
  fact?: string;
};

function needOf({ kind, severity, tone, text, id, since = null, query, level = 0, fact = '' }: Found): Need {
  return {
    kind,
    severity,
    tone,
    id: id ?? null,
    text,
    since: since?.toISOString() ?? null,
    query: query ?? null,
    key: [kind, id, fact].filter(Boolean).join(' '),
    level,
    snoozed_until: null,
  };
}

/** Finds the problems of a project that Start shows, the most dangerous first, and of equal ones the oldest first. */
export async function findNeeds(database: Database, of: NeedsOf): Promise<Need[]> {
  return withoutFurther(await withSnoozes(database, of, await findAllNeeds(database, of)));
}

/** Finds the problems of a project as `findNeeds` does, for any user: up to `READ` of each kind, and none is marked as hidden. */
export async function findAllNeeds(database: Database, of: ProjectNeedsOf): Promise<Need[]> {
  const { projectId, health } = of;
  const found = [
    ...healthNeeds(health),
    ...(await reputationNeeds(database, of)),
    ...(await domainNeeds(database, of)),
    ...(await webhookNeeds(database, projectId)),
    ...(await routeNeeds(database, projectId)),
    ...(await mailboxNeeds(database, projectId)),
    ...(await planNeeds(database, projectId)),
    ...(await keyNeeds(database, projectId)),
  ].map(needOf);
  return inOrderOfDanger(found);
}

/** Leaves out the items of a kind beyond `SHOWN`. */
function withoutFurther(needs: readonly Need[]): Need[] {
  const shown = new Map<Need['kind'], number>();
  return needs.filter(({ kind, snoozed_until }) => {
    if (snoozed_until !== null) return true;
    const count = (shown.get(kind) ?? 0) + 1;
    shown.set(kind, count);
    return count <= SHOWN;
  });
}

function inOrderOfDanger(needs: readonly Need[]): Need[] {
  const rank = ({ severity, tone }: Need) => 2 * severity + (tone === 'bad' ? 0 : 1);
  // A need whose age is not known comes after those whose age is.
  const age = ({ since }: Need) => (since === null ? Number.MAX_SAFE_INTEGER : Date.parse(since));
  return needs.toSorted((one, other) => rank(one) - rank(other) || age(one) - age(other));
}

function healthNeeds({ state, since, waiting: { emails, is_more } }: Health): Found[] {
  const count = `${is_more ? 'Over ' : ''}${countText(emails)}`;
  const waiting =
    emails === 0 ? 'Nothing is waiting.' : `${count} ${emails === 1 ? 'email is' : 'emails are'} waiting.`;
  const found = { severity: 1, since: since === null ? null : new Date(since) };
  if (state === 'stopped')
    return [{ ...found, kind: 'stopped', tone: 'bad', text: `No emails are being sent. ${waiting}` }];
  if (state === 'paused')
    return [
      {
        ...found,
        kind: 'paused',
        tone: 'bad',
        text: 'Sending is paused. Emails are accepted and stay queued until an operator resumes sending: posthorn queue resume.',
      },
    ];
  if (state === 'delayed')
    return [{ ...found, kind: 'delayed', tone: 'warn', text: `Emails are sent late. ${waiting}` }];
  return [];
}

const REPUTATION: Readonly<
  Record<
    ReputationRate,
    {
      status: 'bounced' | 'complained';
      of: 'recipients' | 'delivered';
      what: string;
      danger: string;
      perLevel: number;
    }
  >
> = {
  bounces: {
    status: 'bounced',
    of: 'recipients',
    what: 'of the recipients bounced',
    danger: 'At 5% or more, providers reject mail: pause sending and clean your list.',
    perLevel: 0.01,
  },
  complaints: {
    status: 'complained',
    of: 'delivered',
    what: 'of the delivered emails were marked as spam',
    danger: 'At 0.3% or more, Gmail and Yahoo deliver mail to spam: pause sending and clean your list.',
    perLevel: 0.001,
  },
};

/** Lists the worse of the last 24 hours and the last seven days for each rate. */
async function reputationNeeds(
  database: Database,
  { projectId, keepDays }: ProjectNeedsOf,
): Promise<Found[]> {
  const week = stepsOf('7d', HOUR_MS);
  const { all } = await readMetrics(database, { projectId, by: 'all', ...week, keepDays });
  if (all === undefined) return [];
  const day = { bounced: 0, complained: 0, recipients: 0, delivered: 0 };
  for (const [at, part] of all.steps) {
    if (at < week.steps - 24) continue;
    const outcomes = outcomesOf(part);
    for (const name of ['bounced', 'complained', 'recipients', 'delivered'] as const)
      day[name] += outcomes[name];
  }
  return (Object.keys(REPUTATION) as ReputationRate[]).flatMap((rate) => {
    const found = [
      dangerIn(rate, day, { time: '24 hours', since: '24h' }),
      dangerIn(rate, outcomesOf(all.total), { time: '7 days', since: '7d' }),
    ].filter((each) => each !== null);
    const [worst] = found.toSorted(
      (one, other) =>
        Number(other.need.tone === 'bad') - Number(one.need.tone === 'bad') || other.value - one.value,
    );
    return worst?.need ?? [];
  });
}

function dangerIn(
  rate: ReputationRate,
  outcomes: Pick<Outcomes, 'bounced' | 'complained' | 'recipients' | 'delivered'>,
  { time, since }: { time: string; since: string },
): { need: Found; value: number } | null {
  const { status, of, what, danger, perLevel } = REPUTATION[rate];
  const [part, whole] = [outcomes[status], outcomes[of]];
  const tone = dangerOf(rate, part, whole);
  if (tone === null) return null;
  const value = part / whole;
  const percentage = percentageText(value);
  const need: Found = {
    kind: rate,
    severity: tone === 'bad' ? 2 : 4,
    tone,
    text: `${percentage} ${what} in the last ${time} (${countText(part)} of ${countText(whole)}). ${danger}`,
    query: `status:${status} since:${since}`,
    level: Math.floor(value / perLevel),
  };
  return { need, value };
}

async function domainNeeds(
  database: Database,
  { projectId, trustsManualVerification }: ProjectNeedsOf,
): Promise<Found[]> {
  const may = maySend(trustsManualVerification);
  const rows = await database
    .selectFrom('domains')
    .leftJoin('domainsFirstVerified as first', (join) =>
      join.onRef('first.projectId', '=', 'domains.projectId').onRef('first.domainId', '=', 'domains.id'),
    )
    .select(['id', 'name', 'status', 'checks', 'warningSince', 'lastVerifiedAt', 'createdAt'])
    .select([may.as('maySend'), sql<boolean>`first.domain_id is not null`.as('wasVerified')])
    .where('domains.projectId', '=', projectId)
    .where((row) =>
      row.or([
        row.and([
          row.not(may),
          row.or([
            row('first.domainId', 'is not', null),
            row('createdAt', '<', new Date(clock.nowMs() - NEW_DOMAIN_MS)),
          ]),
        ]),
        // A domain that was verified by hand may send whatever its records are.
        row.and([row('status', '=', 'warning'), ...(trustsManualVerification ? [row.not(IS_BY_HAND)] : [])]),
        hasTolerated(),
      ]),
    )
    .orderBy(sql`
      case when ${may} then case status when 'warning' then 2 else 3 end when first.domain_id is not null then 1 else 4 end`)
    .orderBy('id')
    .limit(READ)
    .execute();
  return rows.flatMap((domain): Found[] => {
    const { name, status, warningSince, lastVerifiedAt, createdAt } = domain;
    const need = { kind: 'domain' as const, id: encodeId('dom', domain.id) };
    if (!domain.maySend)
      return domain.wasVerified
        ? [
            {
              ...need,
              severity: 2,
              tone: 'bad',
              text: `Emails from ${name} are rejected, because it is no longer verified.`,
              // The check that loses a domain is the last one that changes `lastVerifiedAt`. Until then, the domain stays in `warning`.
              since: warningSince === null ? lastVerifiedAt : new Date(warningSince.getTime() + WARNING_MS),
              fact: `lost ${lastVerifiedAt?.toISOString() ?? ''}`,
            },
          ]
        : [
            {
              ...need,
              severity: 4,
              tone: 'warn',
              text: `${name} is not verified: some of its DNS records are missing.`,
              since: createdAt,
              fact: 'new',
            },
          ];
    if (status === 'warning')
      return [
        {
          ...need,
          severity: 3,
          tone: 'bad',
          text: `DNS records of ${name} are missing. You can still send from it for up to 72 hours.`,
          since: warningSince,
          fact: `warning ${warningSince?.toISOString() ?? ''}`,
        },
      ];
    const fixBy = fixByOf(domain.checks);
    return fixBy === null
      ? []
      : [
          {
            ...need,
            severity: 3,
            tone: 'warn',
            text: `Receivers reject DNS records of ${name}. Correct them by ${dateText(Date.parse(fixBy))}.`,
            fact: fixBy,
          },
        ];
  });
}

async function routeNeeds(database: Database, projectId: string): Promise<Found[]> {
  const rows = await database
    .selectFrom('routes as r')
    .leftJoin('mailboxes as m', (join) =>
      join.onRef('m.projectId', '=', 'r.projectId').onRef('m.id', '=', 'r.mailboxId'),
    )
    .select(['r.id', 'r.failingSince'])
    .select((row) => row.fn.coalesce('r.localPart', 'm.localPart').as('localPart'))
    .select((row) => row.fn.coalesce('r.domain', 'm.domain').as('domain'))
    .select((row) =>
      row
        .exists(
          row
            .selectFrom('routeMessages as f')
            .select('f.id')
            .whereRef('f.projectId', '=', 'r.projectId')
            .whereRef('f.routeId', '=', 'r.id')
            .where('f.status', '=', 'failed'),
        )
        .as('hasFailed'),
    )
    .where('r.projectId', '=', projectId)
    .where('r.failingSince', 'is not', null)
    .orderBy('r.failingSince')
    .limit(READ)
    .execute();
  return rows.map(({ id, failingSince, localPart, domain, hasFailed }): Found => {
    const address = `${localPart ?? '*'}@${domain ?? ''}`;
    const need = { kind: 'route' as const, id: encodeId('rt', id), since: failingSince };
    const began = failingSince?.toISOString() ?? '';
    return hasFailed
      ? {
          ...need,
          severity: 2,
          tone: 'bad',
          text: `Incoming mail for ${address} could not be delivered to its route. Fix the receiver, then replay the messages.`,
          fact: `failed ${began}`,
        }
      : {
          ...need,
          severity: 3,
          tone: 'warn',
          text: `Deliveries of incoming mail for ${address} to its route are failing. Posthorn keeps retrying them.`,
          fact: `failing ${began}`,
        };
  });
}

async function webhookNeeds(database: Database, projectId: string): Promise<Found[]> {
  const rows = await database
    .selectFrom('webhooks')
    .select(['id', 'url', 'enabled', 'failingSince'])
    .where('projectId', '=', projectId)
    .where((row) => row.or([row('disabledReason', 'is not', null), row('failingSince', 'is not', null)]))
    .orderBy('enabled')
    .orderBy('failingSince')
    .limit(READ)
    .execute();
  return rows.map(({ id, url, enabled, failingSince }): Found => {
    const need = { kind: 'webhook' as const, id: encodeId('wh', id), since: failingSince };
    const began = failingSince?.toISOString() ?? '';
    return enabled
      ? {
          ...need,
          severity: 3,
          tone: 'warn',
          text: `Webhook deliveries to ${url} are failing. Posthorn keeps retrying them.`,
          fact: `failing ${began}`,
        }
      : {
          ...need,
          severity: 2,
          tone: 'bad',
          text: `${url} was disabled, because all its deliveries failed for five days.`,
          fact: `disabled ${began}`,
        };
  });
}

async function mailboxNeeds(database: Database, projectId: string): Promise<Found[]> {
  const rows = await database
    .selectFrom('sendingLocks')
    .innerJoin('mailboxes', (join) =>
      join
        .onRef('mailboxes.projectId', '=', 'sendingLocks.projectId')
        .onRef('mailboxes.id', '=', 'sendingLocks.mailboxId'),
    )
    .select(['mailboxId', 'localPart', 'domain', 'lockedAt'])
    .where('sendingLocks.projectId', '=', projectId)
    .where('lockedAt', 'is not', null)
    .orderBy('lockedAt')
    .limit(READ)
    .execute();
  return rows.map(({ mailboxId, localPart, domain, lockedAt }) => ({
    kind: 'mailbox',
    severity: 2,
    tone: 'bad',
    id: encodeId('mbx', mailboxId),
    text: `${localPart}@${domain} cannot send: most of its mail bounced or was reported as spam.`,
    since: lockedAt,
    fact: lockedAt?.toISOString() ?? '',
  }));
}

async function planNeeds(database: Database, projectId: string): Promise<Found[]> {
  const { plan } = await database
    .selectFrom('projects')
    .select('plan')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const limits = limitsOf(plan);
  if (limits.length === 0) return [];
  const month = monthOf(new Date(clock.nowMs()));
  const usage = await readUsage(database, projectId, month);
  return limits
    .map(({ name, limit, of }) => ({ name, limit, of, used: usage[of] }))
    .filter(({ limit, used }) => used >= limit * NEARLY)
    .map(({ name, limit, of, used }) => ({
      kind: 'plan',
      severity: used >= limit ? 1 : 3,
      tone: used >= limit ? 'bad' : 'warn',
      text: `${countText(used)} of ${countText(limit)} ${name} in the ${plan} plan are used.`,
      // Per month, and again for each further tenth of the limit.
      fact: `${of} ${month.start.toISOString()}`,
      level: Math.floor((used / limit) * 10),
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

async function keyNeeds(database: Database, projectId: string): Promise<Found[]> {
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
    .limit(READ)
    .execute();
  return rows.map(({ id, name, expiresAt }) => {
    const isExpired = expiresAt.getTime() < nowMs;
    return {
      kind: 'api-key',
      severity: 3,
      tone: isExpired ? 'bad' : 'warn',
      id: encodeId('key', id),
      text: `The API key ${name} ${isExpired ? 'expired' : 'expires'} on ${dateText(expiresAt)}.`,
      fact: isExpired ? 'expired' : 'expires',
    };
  });
}
