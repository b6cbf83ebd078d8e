/** The progress of a project towards its first email, and the steps after it. All are facts, so a step is undone when its fact ends. */
import type { StartProgress } from '../../contract/dashboard/overview.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { dnsProvider } from '../../domains/dns-provider.ts';
import { maySend } from '../../domains/sending-domains.ts';
import * as clock from '../../model/clock.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { isAtLeast, type Role } from '../../model/roles.ts';
import { STATUS } from '../../sending/events/stored-status.ts';
import { snooze } from './snoozes.ts';

const START = columnsOf({
  hasKey: 'bool',
  emailId: 'uuid?',
  status: 'int2?',
  isHidden: 'bool',
  domainId: 'uuid?',
  maySend: 'bool?',
  dnsZone: 'text?',
  nameServers: 'text[]?',
  hasWebhook: 'bool',
  hasColleague: 'bool',
});

/** The key of the snooze that hides the next steps. No key of a problem is equal to it. */
const NEXT_STEPS = 'next-steps';
/** Ten years: the steps are hidden until the user shows them again. */
const HIDDEN_DAYS = 3_650;

interface StartOf {
  projectId: string;
  /** The next steps that this user has hidden are left out. */
  userId: string;
  /** The role of the user in the project. */
  role: Role;
  trustsManualVerification: boolean;
}

/** Hides the next steps from a user, or shows them again. */
export function hideNextSteps(
  database: Database,
  of: { projectId: string; userId: string },
  hidden: boolean,
): Promise<void> {
  return snooze(database, of, { key: NEXT_STEPS, level: 0, days: hidden ? HIDDEN_DAYS : 0 });
}

export async function readStart(
  database: Database,
  { projectId, userId, role, trustsManualVerification }: StartOf,
): Promise<StartProgress> {
  const { rows } = await START.sql`
    select exists (select from api_keys where project_id = p.id and revoked_at is null and created_by is not null) as has_key,
      e.id as email_id, e.status,
      exists (
        select from snoozes where project_id = p.id and user_id = ${userId} and key = ${NEXT_STEPS} and until > ${clock.now()}
      ) as is_hidden,
      d.id as domain_id, d.may_send, d.dns_zone, d.name_servers,
      exists (select from webhooks where project_id = p.id) as has_webhook,
      exists (select from memberships where organization_id = p.organization_id and user_id <> ${userId})
        or ${isAtLeast(role, 'admin')}
          and exists (select from sign_in_links where organization_id = p.organization_id and expires_at > now()) as has_colleague
    from projects p
    left join lateral (
      select id, ${STATUS} as status from emails e where project_id = p.id order by id desc limit 1
    ) e on true
    left join lateral (
      select id, ${maySend(trustsManualVerification)} as may_send, dns_zone, name_servers from domains where project_id = p.id
      order by may_send desc, id desc limit 1
    ) d on true
    where p.id = ${projectId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return { has_key: false, email: null, next: null };
  const { hasKey, emailId, status, isHidden, domainId, hasWebhook, hasColleague } = row;
  return {
    has_key: hasKey,
    email:
      emailId === null || status === null
        ? null
        : {
            id: encodeId('em', emailId),
            status: EMAIL_STAGES[status] ?? 'queued',
            created_at: timeOf(emailId).toISOString(),
          },
    next: isHidden
      ? null
      : {
          domain:
            domainId === null
              ? null
              : {
                  id: encodeId('dom', domainId),
                  may_send: row.maySend === true,
                  dns_provider: dnsProvider(row)?.name ?? null,
                },
          has_webhook: hasWebhook,
          has_colleague: hasColleague,
        },
  };
}
