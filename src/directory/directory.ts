/**
 * The address book of a project (docs/contract.md, Directory): the project's own people, and the people of projects that share their
 * directory.
 */
import { sql } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import type { ChangePerson, Shares } from '../contract/dashboard/directory.ts';
import { type CreatePerson, type DirectoryList, type Person, Share } from '../contract/directory.ts';
import { recordChange, recordDifferences } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { checkPerson, personOf, type PersonRow } from './person.ts';

/** Maximum number of people added by hand per project. There is a limit because the API returns all people at once. */
export const MAX_PEOPLE = 10_000;

/** People are sorted in this process, because the database's order depends on the locale that the database was created with. */
const byName = new Intl.Collator('en');

const shareBody = bodyOf(Share);

export class Directory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(projectId: string): Promise<DirectoryList> {
    const [own, shared, shares] = await Promise.all([
      ownPeople(this.#database, projectId),
      sharedPeople(this.#database, projectId),
      this.shares(projectId),
    ]);
    const rows = [...own, ...shared].sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
    return { people: rows.map((row) => personOf(row, projectId)), shares };
  }

  /** The shares from and to the project, oldest first. */
  async shares(projectId: string): Promise<Shares> {
    const [inbound, outbound] = await Promise.all([
      sharesOf(this.#database, projectId, 'inbound'),
      sharesOf(this.#database, projectId, 'outbound'),
    ]);
    return { inbound, outbound };
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded */
  async add(projectId: string, person: CreatePerson): Promise<Person> {
    const key = checkPerson(person);
    const id = newUuid();
    // Copy only these fields, so that the body cannot set other columns.
    const { name, email, title, organization, notes } = person;
    const row = await this.#database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      await checkLimit(tx, projectId);
      await checkAddress(tx, projectId, key, id);
      const inserted = await tx
        .insertInto('people')
        .values({
          name,
          email,
          title,
          organization,
          notes,
          projectId,
          id,
          emailKey: key,
          createdAt: timeOf(id),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordChange(tx, {
        of: { projectId },
        action: 'person.create',
        target: encodeId('per', id),
        targetName: name,
        after: audited(inserted),
      });
      return inserted;
    });
    return personOf(row, projectId);
  }

  /**
   * Removes a person who was added by hand.
   * @returns false if the project has no such person, or the person belongs to another project
   * @throws AppError synced-member-protected
   */
  async remove(projectId: string, personId: string): Promise<boolean> {
    const isRemoved = await this.#database.transaction().execute(async (tx) => {
      const removed = await tx
        .deleteFrom('people')
        .where((row) => rowIs(row, { projectId, id: personId }))
        .where('mailboxId', 'is', null)
        .returning(['name', 'email'])
        .executeTakeFirst();
      if (removed === undefined) return false;
      await recordChange(tx, {
        of: { projectId },
        action: 'person.delete',
        target: encodeId('per', personId),
        targetName: removed.name,
        before: removed,
      });
      return true;
    });
    if (isRemoved) return true;
    return this.#refuseMember(
      projectId,
      personId,
      'This person belongs to a mailbox of the project and is removed with it. Delete the mailbox instead.',
    );
  }

  /**
   * Changes a person who was added by hand.
   * @returns false if the project has no such person, or the person belongs to another project
   * @throws AppError validation-failed, already-exists, synced-member-protected
   */
  async change(projectId: string, personId: string, changes: ChangePerson): Promise<Person | false> {
    const changed = await this.#database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      const before = await tx
        .selectFrom('people')
        .selectAll()
        .where((row) => rowIs(row, { projectId, id: personId }))
        .where('mailboxId', 'is', null)
        .executeTakeFirst();
      if (before === undefined) return null;
      const { name = before.name, email = before.email } = changes;
      const key = checkPerson({ name, email });
      // Do not check an address that has not changed: since it was added, a mailbox with the same address may have been created, which is
      // allowed.
      if (key !== before.emailKey) await checkAddress(tx, projectId, key, personId);
      const after = await tx
        .updateTable('people')
        .set({
          name,
          email,
          emailKey: key,
          title: textOr(changes.title, before.title),
          organization: textOr(changes.organization, before.organization),
          notes: textOr(changes.notes, before.notes),
        })
        .where((row) => rowIs(row, { projectId, id: personId }))
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordDifferences(
        tx,
        {
          of: { projectId },
          action: 'person.update',
          target: encodeId('per', personId),
          targetName: after.name,
        },
        audited(before),
        audited(after),
      );
      return after;
    });
    if (changed !== null) return personOf(changed, projectId);
    return this.#refuseMember(
      projectId,
      personId,
      'This person is synced from a mailbox of the project. Change the display name of the mailbox instead.',
    );
  }

  /**
   * Rejects a change to a directory entry that belongs to a mailbox.
   * @returns false if the project has no such entry
   * @throws AppError synced-member-protected
   */
  async #refuseMember(projectId: string, personId: string, detail: string): Promise<false> {
    const member = await this.#database
      .selectFrom('people')
      .select('id')
      .where((row) => rowIs(row, { projectId, id: personId }))
      .where('mailboxId', 'is not', null)
      .executeTakeFirst();
    if (member === undefined) return false;
    throw new AppError('synced-member-protected', detail);
  }
}

/** @throws AppError plan-limit-exceeded */
async function checkLimit(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('people')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('projectId', '=', projectId)
    .where('mailboxId', 'is', null)
    .executeTakeFirstOrThrow();
  if (count < MAX_PEOPLE) return;
  const limit = `The directory of a project can have at most ${MAX_PEOPLE} people added manually. Remove a person first.`;
  throw new AppError('plan-limit-exceeded', limit, {
    errors: { email: 'the directory is full; remove a person first' },
  });
}

function ownPeople(database: Database, projectId: string): Promise<PersonRow[]> {
  return database.selectFrom('people').selectAll().where('projectId', '=', projectId).execute();
}

function sharedPeople(database: Database, projectId: string): Promise<PersonRow[]> {
  return database
    .selectFrom('shares')
    .innerJoin('people', 'people.projectId', 'shares.projectId')
    .selectAll('people')
    .where('shares.toProjectId', '=', projectId)
    .execute();
}

async function sharesOf(
  database: Database,
  projectId: string,
  direction: 'inbound' | 'outbound',
): Promise<Share[]> {
  const [mine, other] =
    direction === 'inbound'
      ? (['shares.toProjectId', 'shares.projectId'] as const)
      : (['shares.projectId', 'shares.toProjectId'] as const);
  const rows = await database
    .selectFrom('shares')
    .innerJoin('projects', 'projects.id', other)
    .select((query) => [
      'shares.id',
      'shares.createdAt',
      'projects.id as projectId',
      'projects.name as projectName',
      query
        .selectFrom('people')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('people.projectId', '=', 'shares.projectId')
        .as('peopleCount'),
    ])
    .where(mine, '=', projectId)
    .orderBy('shares.id')
    .execute();
  return rows.map((row) => {
    const peopleCount = row.peopleCount ?? 0;
    return shareBody({
      ...row,
      id: encodeId('shr', row.id),
      projectId: encodeId('prj', row.projectId),
      peopleCount,
    });
  });
}

/**
 * The new value of an optional field. If the request does not contain the field, the value stays; if it contains an empty text, the value
 * is removed.
 */
function textOr(text: string | undefined, before: string | null): string | null {
  if (text === undefined) return before;
  return text === '' ? null : text;
}

function audited({ name, email, title, organization, notes }: PersonRow) {
  return { name, email, title, organization, notes };
}

/**
 * Checks that no other person has the address.
 * @param personId the person who is being changed, and may already have the address
 * @throws AppError already-exists
 */
async function checkAddress(
  tx: DatabaseTransaction,
  projectId: string,
  key: string,
  personId: string,
): Promise<void> {
  const other = await tx
    .selectFrom('people')
    .select('id')
    .where((row) => rowIs(row, { projectId, emailKey: key }))
    .where('id', '<>', personId)
    .executeTakeFirst();
  if (other !== undefined) throw alreadyThere();
}

function alreadyThere(): AppError {
  return new AppError('already-exists', 'The directory already has a person with this address.', {
    errors: { email: 'is the address of another person in the directory' },
  });
}
