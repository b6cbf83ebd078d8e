/** The address book of a project (docs/contract.md, Directory): its people, and those of projects that share theirs. */
import { type Selectable, sql } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import { type CreatePerson, type DirectoryList, Person, Share } from '../contract/directory.ts';
import { recordChange } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { oneLineFault } from '../model/one-line.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { emailKey } from './members.ts';

/** People that were added by hand to one project. The API answers all of them at once, so their number needs a bound. */
export const MAX_PEOPLE = 10_000;

type PersonRow = Omit<Selectable<Tables['people']>, 'emailKey'>;

/** Sorts here: the order of the database depends on the locale that it was made with. */
const byName = new Intl.Collator('en');

const personBody = bodyOf(Person);
const shareBody = bodyOf(Share);

export class Directory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(projectId: string): Promise<DirectoryList> {
    const [own, shared, inbound, outbound] = await Promise.all([
      ownPeople(this.#database, projectId),
      sharedPeople(this.#database, projectId),
      shares(this.#database, projectId, 'inbound'),
      shares(this.#database, projectId, 'outbound'),
    ]);
    const rows = [...own, ...shared].sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
    return { people: rows.map((row) => personOf(row, projectId)), shares: { inbound, outbound } };
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded */
  async add(projectId: string, person: CreatePerson): Promise<Person> {
    const key = checkPerson(person);
    const id = newUuid();
    // By name: a body must not set what else a row has.
    const { name, email, title, organization, notes } = person;
    const row = await this.#database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      await checkLimit(tx, projectId);
      const member = await tx
        .selectFrom('people')
        .select('id')
        .where((row) => rowIs(row, { projectId, emailKey: key }))
        .executeTakeFirst();
      if (member !== undefined) throw alreadyThere();
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
        ...{ of: { projectId }, action: 'person.create', target: encodeId('per', id), targetName: name },
        after: {
          name,
          email,
          title: title ?? null,
          organization: organization ?? null,
          notes: notes ?? null,
        },
      });
      return inserted;
    });
    return personOf(row, projectId);
  }

  /**
   * Removes a person who was added by hand.
   * @returns false when the project has no such person of its own
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
        ...{ of: { projectId }, action: 'person.delete' },
        ...{ target: encodeId('per', personId), targetName: removed.name, before: removed },
      });
      return true;
    });
    if (isRemoved) return true;
    const member = await this.#database
      .selectFrom('people')
      .select('id')
      .where((row) => rowIs(row, { projectId, id: personId }))
      .where('mailboxId', 'is not', null)
      .executeTakeFirst();
    if (member === undefined) return false;
    throw new AppError(
      'synced-member-protected',
      'This person belongs to a mailbox of the project and goes with it. Delete the mailbox instead.',
    );
  }
}

/**
 * Checks what the schema cannot.
 * @returns what no other person added by hand may share: the key of the address
 * @throws AppError validation-failed, with every field that is wrong
 */
function checkPerson({ name, email }: CreatePerson): string {
  const errors: Record<string, string> = {};
  const nameFault = name.trim() === '' ? 'must not be blank' : oneLineFault(name);
  if (nameFault !== null) errors['name'] = nameFault;
  const mailbox = parseMailbox(email);
  if ('error' in mailbox) errors['email'] = mailbox.error;
  else if (email.endsWith('>')) errors['email'] = 'must be an address alone: local@domain, without a name';
  if ('error' in mailbox || Object.keys(errors).length > 0) throw validationError(errors);
  return emailKey(mailbox.address);
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
  const limit = `The directory of a project holds at most ${MAX_PEOPLE} people added by hand.`;
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

async function shares(
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

/** @param projectId of the project that looks */
function personOf(row: PersonRow, projectId: string): Person {
  const own = row.mailboxId === null ? 'manual' : 'mailbox';
  return personBody({
    ...row,
    id: encodeId('per', row.id),
    source: row.projectId === projectId ? own : 'shared',
    projectId: encodeId('prj', row.projectId),
  });
}

function alreadyThere(): AppError {
  return new AppError('already-exists', 'The directory has a person with this address already.', {
    errors: { email: 'is the address of another person in the directory' },
  });
}
