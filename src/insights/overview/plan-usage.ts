/** The usage of a project's plan, now and per day. */
import { findPlan } from '../../accounts/projects/projects.ts';
import { readAmounts, readUsage } from '../../accounts/usage.ts';
import type { Usage } from '../../contract/dashboard/usage.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { readAllowance } from '../../file-links/allowance.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { monthOf } from '../../model/month.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import { retainedText } from './metrics.ts';

const DAYS = 30;

/** @param keepDays the number of days for which the installation keeps emails. Null to keep them forever */
export async function readPlanUsage(
  database: Database,
  projectId: string,
  keepDays: number | null,
): Promise<Usage> {
  const now = clock.now();
  const month = monthOf(now);
  const plan = await findPlan(database, projectId);
  const may = PLAN_LIMITS[plan];
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const first = new Date(Math.min(today - (DAYS - 1) * DAY_MS, month.start.getTime()));
  const length = (today - first.getTime()) / DAY_MS + 1;
  const query = { projectId, by: 'all', from: first, stepMs: DAY_MS, steps: length, keepDays } as const;
  const { all, countedAt, retained } = await readMetrics(database, query);
  const days = Array.from({ length }, (_, at) => ({
    from: new Date(first.getTime() + at * DAY_MS),
    emails: all?.steps.get(at)?.emails ?? 0,
  }));
  const used =
    may.apiEmailsPerMonth === null
      ? // This plan has no limit that depends on the exact number, and counting millions of emails takes long.
        {
          ...(await readAmounts(database, projectId, month)),
          apiEmails: days
            .filter(({ from }) => from >= month.start)
            .reduce((sum, { emails }) => sum + emails, 0),
        }
      : await readUsage(database, projectId, month);
  const { storageBytes, mailboxes, ownDomains } = used;
  const links = await readAllowance(database, projectId);
  const amountsNow = {
    storageBytes: Math.max(0, storageBytes),
    mailboxes,
    ownDomains,
    fileLinkBytes: links.live,
  };
  const counted = await readDays(database, projectId, days.at(-DAYS)?.from ?? first);
  return {
    plan,
    month: { from: month.start.toISOString(), until: month.end.toISOString() },
    counted_at: countedAt?.toISOString() ?? null,
    retained_since: retainedText(retained),
    emails: { used: used.apiEmails, limit: may.apiEmailsPerMonth },
    mailbox_emails: { used: used.mailboxEmails, limit: may.mailboxEmailsPerMonth },
    storage_bytes: { used: Math.max(0, used.storageBytes), limit: may.storageBytes },
    mailboxes: { used: used.mailboxes, limit: may.mailboxes },
    own_domains: { used: used.ownDomains, limit: may.ownDomains },
    file_bytes: may.fileBytes,
    file_link_bytes: { used: links.live, limit: links.allowed },
    days: days.slice(-DAYS).map(({ from, emails }) => {
      const day = from.toISOString().slice(0, 10);
      const amounts =
        from.getTime() === today
          ? { mailboxEmails: null, ...counted.get(day), ...amountsNow }
          : counted.get(day);
      return {
        day,
        emails,
        mailbox_emails: amounts?.mailboxEmails ?? null,
        storage_bytes: amounts?.storageBytes ?? null,
        mailboxes: amounts?.mailboxes ?? null,
        own_domains: amounts?.ownDomains ?? null,
        file_link_bytes: amounts?.fileLinkBytes ?? null,
      };
    }),
  };
}

const COUNTED_DAY = columnsOf({
  day: 'text',
  mailboxEmails: 'int4',
  storageBytes: 'float8',
  mailboxes: 'int4',
  ownDomains: 'int4',
  /** Null if an earlier version counted the day. */
  fileLinkBytes: 'float8?',
});

async function readDays(
  database: Database,
  projectId: string,
  from: Date,
): Promise<ReadonlyMap<string, RowOf<typeof COUNTED_DAY>>> {
  const { rows } = await COUNTED_DAY.sql`
    select day::text, mailbox_emails, storage_bytes::float8, mailboxes, own_domains, file_link_bytes::float8
    from usage_days where project_id = ${projectId} and day >= ${from.toISOString().slice(0, 10)}::date`.execute(
    database,
  );
  return new Map(rows.map((row) => [row.day, row]));
}
