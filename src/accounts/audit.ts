/** The audit log: every change, with its actor and the actor's IP address. The log contains no message content and no secrets. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { newUuid, timeOf } from '../model/ids.ts';

/** The author of a change. */
export interface Actor {
  /** `system`: the service itself. `mailbox`: the owner of a mailbox, in the web client. */
  kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
  /** The uuid of the user, the key or the mailbox; null for the kinds `command-line` and `system`. */
  id: string | null;
  /** The email address of the user or mailbox, the name of the key, or the name of the operating system's account. */
  name: string;
  /** The actor's IP address; null if the change came from this machine or from the service itself. */
  address: string | null;
}

const SYSTEM: Actor = { kind: 'system', id: null, name: 'posthorn', address: null };
const actors = new AsyncLocalStorage<Actor>();

/** Runs `work` and attributes all its changes to the actor. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** The current actor. Outside of `actingAs`, the actor is the service itself. */
export function currentActor(): Actor {
  return actors.getStore() ?? SYSTEM;
}

type AuditValue = string | number | boolean | null | readonly string[];
/** Changed fields, named as in the API. The values never contain a secret or the hash of a secret. */
export type AuditFields = Readonly<Record<string, AuditValue>>;

export interface Change {
  /** The log to write to: an organization's log, the log of a project's organization, or the operators' log (`installation`). */
  of: { organizationId: string } | { projectId: string } | 'installation';
  /** Resource and verb: `api-key.create`, `domain.delete`, `webhook.rotate-secret`. */
  action: `${string}.${string}`;
  /** The public id of the changed resource, or another name that users know. */
  target: string;
  targetName?: string;
  /** The changed fields with their old values. Absent when the resource is new. */
  before?: AuditFields;
  /** The changed fields with their new values. Absent when the resource was deleted. */
  after?: AuditFields;
}

/** The maximum length of a text. Longer texts are truncated, because the log needs only names and settings. */
const MAX_TEXT = 500;
const MAX_ELEMENTS = 100;

/** Writes a change to the log. Must be called in the transaction that makes the change. */
export async function recordChange(tx: Database | DatabaseTransaction, change: Change): Promise<void> {
  const { kind, id: actorId, name, address } = currentActor();
  const id = newUuid();
  const { of, action, target } = change;
  if (of === 'installation') {
    await sql`
      insert into system_changes (id, action, actor_kind, actor_id, actor_name, address, target, before, after)
      values (${id}, ${action}, ${kind}, ${actorId}, ${short(name)}, ${address}, ${short(target)}, ${jsonOf(change.before)}::jsonb,
        ${jsonOf(change.after)}::jsonb)`.execute(tx);
    return;
  }
  const projectId = 'projectId' in of ? of.projectId : null;
  const organization =
    'projectId' in of
      ? sql`(select organization_id from projects where id = ${of.projectId})`
      : sql`${of.organizationId}::uuid`;
  // If the project was deleted a moment ago, its organization is not found, and no row is inserted.
  await sql`
    insert into audit_log (organization_id, id, project_id, action, actor_kind, actor_id, actor_name, address, target, target_name,
      before, after, created_at)
    select o.id, ${id}::uuid, ${projectId}::uuid, ${action}, ${kind}, ${actorId}::uuid, ${short(name)}, ${address},
      ${short(target)}, ${change.targetName === undefined ? null : short(change.targetName)},
      ${jsonOf(change.before)}::jsonb, ${jsonOf(change.after)}::jsonb, ${timeOf(id)}::timestamptz
    from organizations o where o.id = ${organization}`.execute(tx);
}

/** The fields whose values differ, as the `before` and `after` of a change. */
export function differences<Fields extends AuditFields>(
  before: Fields,
  after: Fields,
): { before: AuditFields; after: AuditFields } {
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

/** Records the fields whose values differ, if there are any. */
export async function recordDifferences<Fields extends AuditFields>(
  tx: Database | DatabaseTransaction,
  change: Omit<Change, 'before' | 'after'>,
  before: Fields,
  after: Fields,
): Promise<void> {
  const differing = differences(before, after);
  if (Object.keys(differing.after).length > 0) await recordChange(tx, { ...change, ...differing });
}

function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

function jsonOf(fields: AuditFields | undefined): string | null {
  if (fields === undefined) return null;
  const bounded = Object.entries(fields).map(([name, value]) => {
    if (typeof value === 'string') return [name, short(value)];
    return [
      name,
      Array.isArray(value) ? value.slice(0, MAX_ELEMENTS).map((each) => short(String(each))) : value,
    ];
  });
  return JSON.stringify(Object.fromEntries(bounded));
}
