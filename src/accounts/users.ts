/** Users, who are people that sign in to the dashboard, and their memberships. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import { readUserEmail, type UserEmail } from './user-email.ts';

const MAX_NAME = 100;

export interface NewUser {
  email: string;
  name: string;
  /** The hash from `hashPassword`; null if the user first signs in with a link. */
  passwordHash: string | null;
  isOperator: boolean;
  /** The action that verifies the account; null or absent if the account is verified. */
  verifiesBy?: 'mail' | 'second-factor' | null;
}

/** The name in its stored form. @throws AppError validation-failed */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(trimmed))
    throw validationError({ name: `must be 1 to ${MAX_NAME} characters without line breaks` });
  return trimmed;
}

/** @throws AppError validation-failed */
export function checkedEmail(email: string): UserEmail {
  const read = readUserEmail(email);
  if (read === null) throw validationError({ email: 'must be an email address, such as ada@acme.example' });
  return read;
}

/** @returns the uuid of the user @throws AppError validation-failed, already-exists */
export async function createUser(tx: DatabaseTransaction, user: NewUser): Promise<string> {
  const { email, key } = checkedEmail(user.email);
  const id = newUuid();
  const inserted = await tx
    .insertInto('users')
    .values({
      id,
      email,
      emailKey: key,
      name: checkedName(user.name),
      passwordHash: user.passwordHash,
      isOperator: user.isOperator,
      verifiesBy: user.verifiesBy ?? null,
      createdAt: timeOf(id),
    })
    .onConflict((conflict) => conflict.column('emailKey').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined)
    throw new AppError('already-exists', 'A user with this email address already exists.', {
      errors: { email: 'is the address of another user' },
    });
  return id;
}

export interface UserRecord {
  /** uuid */
  id: string;
  email: string;
  name: string;
  isOperator: boolean;
  createdAt: Date;
}

/** @param key see `readUserEmail` */
export async function findUserByKey(
  database: Database | DatabaseTransaction,
  key: string,
): Promise<UserRecord | null> {
  const user = await database
    .selectFrom('users')
    .select(COLUMNS)
    .where('emailKey', '=', key)
    .executeTakeFirst();
  return user ?? null;
}

/** @param userId uuid */
export async function findUser(database: Database, userId: string): Promise<UserRecord | null> {
  const user = await database.selectFrom('users').select(COLUMNS).where('id', '=', userId).executeTakeFirst();
  return user ?? null;
}

/** @param email in any spelling @throws AppError not-found */
export async function findUserByEmail(database: Database, email: string): Promise<UserRecord> {
  const user = await findUserByKey(database, checkedEmail(email).key);
  if (user === null)
    throw new AppError('not-found', `There is no user ${email}. Run posthorn user list to see all users.`);
  return user;
}

/** All users of the installation, oldest first, with their memberships. */
export async function listUsers(
  database: Database,
): Promise<(UserRecord & { memberships: { organization: string; role: Role }[] })[]> {
  const users = await database.selectFrom('users').select(COLUMNS).orderBy('id').execute();
  const memberships = await database
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organizationId')
    .select(['m.userId', 'm.role', 'o.name as organization'])
    .orderBy('o.id')
    .execute();
  const ofEach = Map.groupBy(memberships, ({ userId }) => userId);
  return users.map((user) => ({
    ...user,
    memberships: (ofEach.get(user.id) ?? []).map(({ organization, role }) => ({ organization, role })),
  }));
}

const COLUMNS = ['id', 'email', 'name', 'isOperator', 'createdAt'] as const;
