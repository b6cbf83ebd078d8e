/** The rules of a mailbox, in the order in which they run (docs/rules.md). */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { NewRule, type RuleAction, type RuleCondition } from '../../contract/rules.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { storeVacation, type Vacation } from '../vacation/vacation.ts';
import { changeFilters } from './change-filters.ts';
import type { StoredRule } from './compile-rule.ts';

const MAX_RULES = 100;
/** The maximum total size of a mailbox's rules, in octets, which bounds the cost of running the rules. */
const MAX_OCTETS = 64 * 1_024;

const RULE = columnsOf({
  id: 'uuid',
  /** The position in the list, from 1. */
  position: 'int4',
  isEnabled: 'bool',
  name: 'text',
  isAny: 'bool',
  conditions: shaped<StoredRule['conditions']>('json'),
  actions: shaped<StoredRule['actions']>('json'),
});
export type FilterRule = RowOf<typeof RULE>;

/** The rule checker. Created for the first rule, because its modules are an eighth of all code that a process with the API loads. */
let checker: ReturnType<typeof makeChecker> | undefined;

async function makeChecker() {
  const { Compile } = await import('typebox/compile');
  return Compile(NewRule);
}

export async function listRules(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<FilterRule[]> {
  const { rows } = await RULE.sql`
    select id, position, name, is_enabled, is_any, conditions, actions from mailbox_rules
    where project_id = ${projectId} and mailbox_id = ${mailboxId} order by position`.execute(database);
  return rows;
}

/**
 * @param position the position in the list, from 1; null appends the rule
 * @throws AppError validation-failed, not-found
 */
export async function addRule(
  database: Database,
  mailbox: MailboxKey,
  rule: NewRule,
  position: number | null = null,
): Promise<FilterRule> {
  await check(rule);
  return changeFilters(
    database,
    mailbox,
    { action: 'mailbox.add-rule', after: { name: rule.name } },
    async (tx) => {
      const rules = await listRules(tx, mailbox);
      const added = await append(tx, mailbox, rules, rule);
      const ids = [...rules, added].map(({ id }) => id);
      return { ...added, position: await place(tx, mailbox, ids, added.id, position) };
    },
  );
}

/**
 * Appends rules, and sets the vacation reply unless it is null. Stores all of them or, on an error, none.
 * @throws AppError validation-failed, not-found
 */
export async function importFilters(
  database: Database,
  mailbox: MailboxKey,
  { rules, vacation }: { rules: readonly NewRule[]; vacation: Vacation | null },
): Promise<FilterRule[]> {
  for (const rule of rules) await check(rule);
  const after = { rules: rules.length, vacation: vacation !== null };
  return changeFilters(database, mailbox, { action: 'mailbox.import-rules', after }, async (tx) => {
    const before = await listRules(tx, mailbox);
    const added: FilterRule[] = [];
    for (const rule of rules) added.push(await append(tx, mailbox, [...before, ...added], rule));
    if (vacation !== null) await storeVacation(tx, mailbox, vacation);
    return added;
  });
}

/** Stores a rule after the existing ones. */
async function append(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  existing: readonly FilterRule[],
  rule: NewRule,
): Promise<FilterRule> {
  checkRuleLimits([...existing, rule]);
  const { projectId, mailboxId } = mailbox;
  const { name, is_any: isAny, conditions, actions } = rule;
  const [id, position] = [newUuid(), existing.length + 1];
  await sql`
    insert into mailbox_rules (project_id, mailbox_id, id, position, name, is_enabled, is_any, conditions, actions, created_at)
    values (${projectId}, ${mailboxId}, ${id}, ${position}, ${name}, true, ${isAny},
      ${JSON.stringify(conditions)}, ${JSON.stringify(actions)}, ${clock.now()})`.execute(tx);
  await tryAgain(tx, mailbox, rule);
  return { id, position, name, isEnabled: true, isAny, conditions, actions };
}

/**
 * Replaces a rule, which keeps its id and its position and stays enabled or disabled.
 * @throws AppError validation-failed, not-found
 */
export async function replaceRule(
  database: Database,
  mailbox: MailboxKey,
  id: string,
  rule: NewRule,
): Promise<FilterRule> {
  await check(rule);
  return changeFilters(
    database,
    mailbox,
    { action: 'mailbox.change-rule', after: { id: encodeId('rule', id), name: rule.name } },
    async (tx) => {
      const rules = await listRules(tx, mailbox);
      const old = rules.find((one) => one.id === id);
      if (old === undefined) throw noSuchRule();
      checkRuleLimits([...rules.filter((one) => one !== old), rule]);
      const { name, is_any: isAny, conditions, actions } = rule;
      await sql`
        update mailbox_rules set name = ${name}, is_any = ${isAny}, conditions = ${JSON.stringify(conditions)},
          actions = ${JSON.stringify(actions)}
        where ${isRule(mailbox, id)}`.execute(tx);
      await tryAgain(tx, mailbox, rule);
      return { ...old, name, isAny, conditions, actions };
    },
  );
}

/** @throws AppError validation-failed */
async function check(rule: NewRule): Promise<void> {
  checker ??= makeChecker();
  const [fault] = (await checker).Errors(rule);
  if (fault !== undefined) throw validationError(faultOf(rule, fault.instancePath, fault.message));
}

/** @throws AppError validation-failed */
function checkRuleLimits(rules: readonly Pick<StoredRule, 'name' | 'conditions' | 'actions'>[]): void {
  const octets = rules.reduce((sum, one) => sum + octetsOf(one), 0);
  if (rules.length > MAX_RULES || octets > MAX_OCTETS)
    throw validationError({ rule: `a mailbox can have at most ${MAX_RULES} rules, with 64 KB in total` });
}

/** Turns forwarding back on for each target that a rule names again. */
async function tryAgain(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  { actions }: NewRule,
): Promise<void> {
  const targets = actions.flatMap((action) => (action.do === 'forward' ? [action.to] : []));
  await sql`
    delete from forward_failures
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and target = any (${targets}::text[])`.execute(
    tx,
  );
}

/** Error messages that describe the allowed values, in place of the checker's messages, which may be about the wrong variant of a union. */
const MAY_BE: Partial<Record<RuleCondition['on'] | RuleAction['do'], string>> = {
  size: 'a size must be 0 to 1,048,576M',
  spam: 'a score must be -1,000 to 1,000',
  header:
    'the name of a field must have 1 to 76 ASCII characters without spaces and colons, and its text 1 to 500 characters on one line',
  file: 'the name of a folder must have 1 to 255 characters, on one line',
  keyword: 'a keyword must have 1 to 64 characters',
  forward: 'an address must have at most 254 characters',
  refuse: 'the text of a rejection must have 1 to 200 ASCII characters, on one line',
};
const TEXT = 'a text must have 1 to 500 characters, on one line';

function faultOf({ conditions, actions }: NewRule, path: string, message: string): Record<string, string> {
  const [, where, at] = /^\/(conditions|actions)\/(\d+)/.exec(path) ?? [];
  const condition = where === 'conditions' ? conditions[Number(at)] : undefined;
  if (condition !== undefined)
    return { conditions: condition.on === 'file' ? TEXT : (MAY_BE[condition.on] ?? TEXT) };
  const action = where === 'actions' ? actions[Number(at)] : undefined;
  return action === undefined
    ? { rule: `${path} ${message}`.trim() }
    : { actions: MAY_BE[action.do] ?? message };
}

/** @throws AppError not-found */
export async function removeRule(database: Database, mailbox: MailboxKey, id: string): Promise<void> {
  await changeFilters(
    database,
    mailbox,
    { action: 'mailbox.remove-rule', before: { id: encodeId('rule', id) } },
    async (tx) => {
      const rest = (await listRules(tx, mailbox)).filter((rule) => rule.id !== id);
      const { numAffectedRows } = await sql`delete from mailbox_rules where ${isRule(mailbox, id)}`.execute(
        tx,
      );
      if (numAffectedRows === 0n) throw noSuchRule();
      await number(
        tx,
        mailbox,
        rest.map((rule) => rule.id),
      );
    },
  );
}

/**
 * @returns the new position: a position after the last rule becomes the last one
 * @throws AppError not-found
 */
export async function moveRule(
  database: Database,
  mailbox: MailboxKey,
  id: string,
  position: number,
): Promise<number> {
  return changeFilters(
    database,
    mailbox,
    { action: 'mailbox.move-rule', after: { id: encodeId('rule', id), position } },
    async (tx) => {
      const ids = (await listRules(tx, mailbox)).map((rule) => rule.id);
      if (!ids.includes(id)) throw noSuchRule();
      return place(tx, mailbox, ids, id, position);
    },
  );
}

/** @throws AppError not-found */
export async function enableRule(
  database: Database,
  mailbox: MailboxKey,
  id: string,
  isEnabled: boolean,
): Promise<void> {
  await changeFilters(
    database,
    mailbox,
    { action: 'mailbox.enable-rule', after: { id: encodeId('rule', id), is_enabled: isEnabled } },
    async (tx) => {
      const { numAffectedRows } =
        await sql`update mailbox_rules set is_enabled = ${isEnabled} where ${isRule(mailbox, id)}`.execute(
          tx,
        );
      if (numAffectedRows === 0n) throw noSuchRule();
    },
  );
}

function noSuchRule(): AppError {
  return new AppError('not-found', 'There is no such rule in the mailbox.');
}

function isRule({ projectId, mailboxId }: MailboxKey, id: string) {
  return sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`;
}

function octetsOf({
  name,
  conditions,
  actions,
}: Pick<StoredRule, 'name' | 'conditions' | 'actions'>): number {
  return Buffer.byteLength(JSON.stringify([name, conditions, actions]));
}

async function place(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  ids: readonly string[],
  id: string,
  position: number | null,
): Promise<number> {
  const others = ids.filter((one) => one !== id);
  const at = Math.min(Math.max((position ?? ids.length) - 1, 0), others.length);
  await number(tx, mailbox, others.toSpliced(at, 0, id));
  return at + 1;
}

async function number(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  ids: readonly string[],
): Promise<void> {
  await sql`
    update mailbox_rules r set position = n.position
    from unnest(${ids}::uuid[]) with ordinality n (id, position)
    where r.project_id = ${projectId} and r.mailbox_id = ${mailboxId} and r.id = n.id and r.position <> n.position`.execute(
    tx,
  );
}
