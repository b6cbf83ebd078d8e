/** The filters of a mailbox for delivery. All filters of a mailbox are read together, and again after a change. */
import { sql } from 'kysely';
import { columnsOf, outer, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { FORWARDING, type Forwarding } from '../forward/forwarding.ts';
import { VACATION, type Vacation } from '../vacation/vacation.ts';
import { type CompiledRule, compileRule, type StoredRule } from './compile-rule.ts';

export interface MailboxFilters {
  /** The enabled rules, in their order. */
  rules: readonly CompiledRule[];
  /** Blocked senders, in the form that `isBlocked` expects. */
  blocks: ReadonlySet<string>;
  displayName: string | null;
  vacation: Vacation | null;
  forwarding: Forwarding | null;
  /** Targets to which forwarding is turned off. */
  offTargets: ReadonlySet<string>;
}

/** A cache key contains the version of the filters, so a cached entry is never outdated. */
const TTL_MS = 10 * 60_000;
/** The maximum number of cached entries. The largest entry takes about 300 kB. */
const MAX_ENTRIES = 500;

export class MailboxFiltersCache {
  readonly #database: Database;
  readonly #cache = new LoadingCache<MailboxFilters>({
    ttlMs: TTL_MS,
    maxEntries: MAX_ENTRIES,
    mayCache: () => true,
    nowMs: () => performance.now(),
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @returns null if the mailbox has no filters of its own
   * @throws if the database is unavailable
   */
  of({
    projectId,
    mailboxId,
    filingVersion,
  }: MailboxKey & { filingVersion: number }): MaybePromise<MailboxFilters | null> {
    if (filingVersion === 0) return null;
    return this.#cache.get(`${projectId} ${mailboxId} ${filingVersion}`, () =>
      readMailboxFilters(this.#database, { projectId, mailboxId }),
    );
  }
}

async function readMailboxFilters(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<MailboxFilters> {
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  const { rows } = await FILTERS.sql`
    select m.display_name, v.subject, v.text, v.html, v.starts_at, v.ends_at, v.days, f.target, f.keeps_copy,
      (select array_agg(target) from forward_failures where ${isOf} and off_since is not null) as off_targets,
      (select json_agg(json_build_object('name', name, 'isAny', is_any, 'conditions', conditions, 'actions', actions)
          order by position)
        from mailbox_rules where ${isOf} and is_enabled) as rules,
      (select array_agg(sender) from mailbox_blocks where ${isOf}) as blocks
    from mailboxes m
    left join mailbox_vacations v on v.project_id = m.project_id and v.mailbox_id = m.id
    left join mailbox_forwards f on f.project_id = m.project_id and f.mailbox_id = m.id
    where m.project_id = ${projectId} and m.id = ${mailboxId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return NOTHING;
  const { text, days, target, keepsCopy, ...vacation } = row;
  return {
    rules: (row.rules ?? []).map(compileRule),
    blocks: new Set(row.blocks),
    displayName: row.displayName,
    vacation: text === null || days === null ? null : { ...vacation, text, days },
    forwarding: target === null || keepsCopy === null ? null : { target, keepsCopy },
    offTargets: new Set(row.offTargets),
  };
}

const FILTERS = columnsOf({
  displayName: 'text?',
  /** The columns of the vacation reply. All are null if vacation replies are off. */
  ...outer(VACATION.kinds),
  /** The columns of forwarding. All are null without forwarding. */
  ...outer(FORWARDING.kinds),
  offTargets: 'text[]?',
  rules: shaped<StoredRule[] | null>('json?'),
  blocks: 'text[]?',
});

/** The filters of a deleted mailbox. */
const NOTHING: MailboxFilters = {
  rules: [],
  blocks: new Set(),
  displayName: null,
  vacation: null,
  forwarding: null,
  offTargets: new Set(),
};
