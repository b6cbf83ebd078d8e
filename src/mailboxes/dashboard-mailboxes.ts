/** Mailboxes in the form of the dashboard. For the form of the API see `mailboxes.ts`. No code in this file reads mail. */
import { sql } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import {
  DashboardMailbox,
  type DashboardMailboxPage,
  type DashboardMailboxQuery,
  DashboardMailboxSummary,
} from '../contract/dashboard/mailboxes.ts';
import { columnsOf, shaped } from '../db/columns.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { cursorOf } from '../model/cursor.ts';
import { encodeId } from '../model/ids.ts';
import type { LockReason } from '../model/lock-reasons.ts';
import type { SpamLevel } from '../model/spam-levels.ts';
import { hostOf, type MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { addressOf } from './local-part.ts';

export interface DashboardMailboxesOptions {
  reads: FairReads;
  mailAccess: MailAccess;
}

const MAILBOX = columnsOf({
  id: 'uuid',
  domain: 'text',
  localPart: 'text',
  displayName: 'text?',
  isCatchAll: 'bool',
  isShared: 'bool',
  octets: 'float8',
  quotaMb: 'int4',
  lastSignedInAt: 'timestamptz?',
  createdAt: 'timestamptz',
});
const SUMMARY = columnsOf({
  ...MAILBOX.kinds,
  key: 'text',
  sendingLocked: shaped<LockReason | null>('text?'),
});
const DETAIL = columnsOf({
  ...MAILBOX.kinds,
  domainId: 'uuid',
  dailySendLimit: 'int4?',
  spamLevel: shaped<SpamLevel | null>('text?'),
  hasPassword: 'bool',
  replyTo: 'text?',
  signatureHtml: 'text?',
  emptyFolders: 'bool',
  saveSent: 'bool',
  projectSpamLevel: shaped<SpamLevel>('text'),
  messages: 'float8',
  fullSince: 'timestamptz?',
  lockedAt: 'timestamptz?',
  lockReason: shaped<LockReason | null>('text?'),
  secondFactorSince: 'timestamptz?',
  aliases: shaped<{ id: string; local_part: string; domain: string; is_only: boolean }[]>('json'),
});

const PAGE_END = cursorOf('mailboxes', { domain: 'text', key: 'text' });

const summaryBody = bodyOf(DashboardMailboxSummary);
const detailBody = bodyOf(DashboardMailbox);

const OF_MAILBOX = sql`project_id = m.project_id and mailbox_id = m.id`;
const OCTETS = sql`coalesce((select octets from mailbox_states where ${OF_MAILBOX}), 0)::float8`;
/**
 * The time of the last sign-in. Earlier versions did not record sign-ins, so if none is recorded, this is the last use of a known network.
 */
const LAST_SIGN_IN = sql`coalesce(
  (select max(signed_in_at) from mailbox_sign_ins where ${OF_MAILBOX}), (select max(seen_at) from sign_in_networks where ${OF_MAILBOX}))`;

export class DashboardMailboxes {
  readonly #options: DashboardMailboxesOptions;

  constructor(options: DashboardMailboxesOptions) {
    this.#options = options;
  }

  /** @throws AppError validation-failed for the cursor; unavailable */
  async list(
    projectId: string,
    { q = '', cursor, limit }: DashboardMailboxQuery,
  ): Promise<DashboardMailboxPage> {
    const after = cursor === undefined ? { domain: '', key: '' } : PAGE_END.decode(cursor);
    const pattern = `%${q.trim().replaceAll(/[\\%_]/g, '\\$&')}%`;
    const statement = SUMMARY.sql`
      select m.id, m.domain, m.local_part, m.local_part_key as key, m.display_name, m.is_catch_all, m.is_shared, m.quota_mb, m.created_at,
        ${OCTETS} as octets, ${LAST_SIGN_IN} as last_signed_in_at,
        (select reason from sending_locks where ${OF_MAILBOX} and locked_at is not null) as sending_locked
      from mailboxes m
      where m.project_id = ${projectId} and (m.domain, m.local_part_key) > (${after.domain}, ${after.key})
        and (m.local_part || '@' || m.domain ilike ${pattern} or m.display_name ilike ${pattern})
      order by m.domain, m.local_part_key limit ${limit + 1}`;
    const { rows } = await this.#options.reads.run(projectId, (database) => statement.execute(database));
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: rows
        .slice(0, limit)
        .map((row) => summaryBody({ ...row, id: encodeId('mbx', row.id), address: addressOf(row) })),
      next_cursor: last === undefined ? null : PAGE_END.encode(last),
    };
  }

  /**
   * @returns null if the project has no such mailbox
   * @throws AppError unavailable
   */
  async get(projectId: string, mailboxId: string): Promise<DashboardMailbox | null> {
    const { reads, mailAccess } = this.#options;
    const statement = DETAIL.sql`
      select m.id, m.domain_id, m.domain, m.local_part, m.display_name, m.is_catch_all, m.is_shared, m.quota_mb, m.daily_send_limit, m.spam_level,
        m.password_hash is not null as has_password, m.created_at, m.reply_to, m.signature_html, m.empties_folders as empty_folders,
        m.save_sent, m.second_factor_since, p.default_spam_level as project_spam_level, ${OCTETS} as octets,
        coalesce((select sum(messages) from folders where ${OF_MAILBOX}), 0)::float8 as messages, s.full_since,
        l.locked_at, l.reason as lock_reason, ${LAST_SIGN_IN} as last_signed_in_at,
        coalesce((
          select json_agg(json_build_object('id', a.id, 'local_part', a.local_part, 'domain', a.domain, 'is_only', not exists (
            select from alias_mailboxes o where o.project_id = a.project_id and o.alias_id = a.id and o.mailbox_id <> m.id
          )) order by a.id)
          from alias_mailboxes t join aliases a on a.project_id = t.project_id and a.id = t.alias_id
          where t.project_id = m.project_id and t.mailbox_id = m.id
        ), '[]') as aliases
      from mailboxes m
      join projects p on p.id = m.project_id
      left join mailbox_states s on s.project_id = m.project_id and s.mailbox_id = m.id
      left join sending_locks l on l.project_id = m.project_id and l.mailbox_id = m.id and l.locked_at is not null
      where m.project_id = ${projectId} and m.id = ${mailboxId}`;
    const { rows } = await reads.run(projectId, (database) => statement.execute(database));
    const [row] = rows;
    if (row === undefined) return null;
    const { lockedAt, lockReason, aliases, fullSince, secondFactorSince } = row;
    return detailBody({
      ...row,
      id: encodeId('mbx', row.id),
      domainId: encodeId('dom', row.domainId),
      address: addressOf(row),
      fullSince: fullSince?.toISOString() ?? null,
      secondFactorSince: secondFactorSince?.toISOString() ?? null,
      sendingLock:
        lockedAt === null || lockReason === null
          ? null
          : { locked_at: lockedAt.toISOString(), reason: lockReason },
      aliases: aliases.map(({ id, local_part: localPart, domain }) => ({
        id: encodeId('als', id),
        address: addressOf({ localPart, domain }),
      })),
      onlyMailboxOf: aliases.filter((alias) => alias.is_only).length,
      mailAccess: {
        hostname: hostOf(mailAccess),
        services: mailAccess.services.map((service) => ({ ...service })),
      },
    });
  }
}
