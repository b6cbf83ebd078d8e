/** The audit log: every change, with who made it and from where. What is sent is not in it, and no secret. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { newUuid, timeOf } from '../model/ids.ts';

/** Who makes a change. */
export interface Actor {
  /** `system`: the service by itself. `mailbox`: the owner of one, in the web client. */
  kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
  /** uuid of the user, the key or the mailbox; null for the others */
  id: string | null;
  /** An email address, the name of a key, or the account of the machine. */
  name: string;
  /** IP address; null: from this machine, or from within */
  address: string | null;
}

const SYSTEM: Actor = { kind: 'system', id: null, name: 'posthorn', address: null };
const actors = new AsyncLocalStorage<Actor>();

/** Runs `work`, all changes of which are the actor's. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** Who acts at present. Outside of `actingAs` it is the service itself. */
export function currentActor(): Actor {
  return actors.getStore() ?? SYSTEM;
}

type AuditValue = string | number | boolean | null | readonly string[];
/** Fields by the names that the API gives them. Never a secret, nor a hash of one. */
export type AuditFields = Readonly<Record<string, AuditValue>>;

export interface Change {
  /** Whose log it is in: an organisation's, that of a project's organisation, or that of the operators. */
  of: { organizationId: string } | { projectId: string } | 'installation';
  /** Resource and verb: `api-key.create`, `domain.delete`, `webhook.rotate-secret`. */
  action: `${string}.${string}`;
  /** What was changed: the outside form of its id, or another name that people know it by. */
  target: string;
  targetName?: string;
  /** What is different now. Absent for what is new. */
  before?: AuditFields;
  /** Absent for what is gone. */
  after?: AuditFields;
}

/** A log of names and settings: longer texts are known by how they begin. */
const MAX_TEXT = 500;
const MAX_ELEMENTS = 100;

/** Writes a change to the log, in the transaction that makes it. */
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
  // A project that was deleted a moment ago has no log any more.
  await sql`
    insert into audit_log (organization_id, id, project_id, action, actor_kind, actor_id, actor_name, address, target, target_name,
      before, after, created_at)
    select o.id, ${id}::uuid, ${projectId}::uuid, ${action}, ${kind}, ${actorId}::uuid, ${short(name)}, ${address},
      ${short(target)}, ${change.targetName === undefined ? null : short(change.targetName)},
      ${jsonOf(change.before)}::jsonb, ${jsonOf(change.after)}::jsonb, ${timeOf(id)}::timestamptz
    from organizations o where o.id = ${organization}`.execute(tx);
}

/** Those fields that differ, as they were and as they are: `{ before, after }` of a change. */
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

/** Writes what differs; nothing where nothing does. */
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
