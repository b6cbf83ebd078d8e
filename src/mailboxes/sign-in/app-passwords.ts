/** App passwords: one per mail app, so that each can be revoked separately (docs/mailboxes.md, App passwords). */
import { hash } from 'node:crypto';
import { recordChange } from '../../accounts/audit.ts';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import { oneLineFault } from '../../model/one-line.ts';
import { generatePassword } from '../../accounts/passwords/password.ts';
import { assertHasLogin } from '../has-login.ts';
import type { StoredAppPassword } from './find-accounts.ts';

/** An app password without the password itself, which can never be shown again. */
export interface ListedAppPassword extends StoredAppPassword {
  name: string;
  createdAt: Date;
}

interface MailboxId {
  projectId: string;
  mailboxId: string;
}

const MAX_OF_MAILBOX = 100;
const MAX_NAME_LENGTH = 100;
const NOTED_MS = 60 * 60_000;
const APP_PASSWORD = /^[0-9a-hjkmnp-tv-z]{28}$/;

/** The digest of a text that has the form of an app password, with hyphens, spaces or neither, in any letter case. Null for other texts. */
export function appPasswordDigest(password: string): Buffer | null {
  const plain = password.length > 100 ? '' : password.replaceAll(/[\s-]/g, '').toLowerCase();
  return APP_PASSWORD.test(plain) ? digestOf(plain) : null;
}

function digestOf(plain: string): Buffer {
  return hash('sha256', plain, 'buffer');
}

/**
 * @returns the ID, and the password itself. Only the hash of the password is stored
 * @throws AppError validation-failed: the name is invalid, or the mailbox has too many app passwords; not-found
 */
export async function createAppPassword(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  { name, access }: Pick<ListedAppPassword, 'name' | 'access'>,
): Promise<{ id: string; password: string }> {
  const fault = nameFault(name);
  if (fault !== null) throw validationError({ name: fault });
  const password = generatePassword();
  const id = newUuid();
  await database.transaction().execute(async (tx) => {
    await assertHasLogin(tx, { projectId, mailboxId });
    const mailbox = await tx
      .selectFrom('mailboxes')
      .select('id')
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (mailbox === undefined)
      throw new AppError('not-found', 'There is no mailbox with this address in the project.');
    const { count } = await tx
      .selectFrom('appPasswords')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where((row) => rowIs(row, { projectId, mailboxId }))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_OF_MAILBOX)
      throw validationError({
        name: `the mailbox already has ${MAX_OF_MAILBOX} app passwords; revoke one first`,
      });
    const digest = digestOf(password.replaceAll('-', ''));
    await tx
      .insertInto('appPasswords')
      .values({ projectId, mailboxId, id, name, access, digest, createdAt: timeOf(id) })
      .execute();
    await recordChange(tx, {
      ...changeOf(projectId, 'create', id, name),
      after: { name, access, mailbox_id: encodeId('mbx', mailboxId) },
    });
  });
  return { id, password };
}

/** Oldest first. */
export function listAppPasswords(
  database: Database,
  { projectId, mailboxId }: MailboxId,
): Promise<ListedAppPassword[]> {
  return database
    .selectFrom('appPasswords')
    .select(['id', 'name', 'access', 'createdAt', 'lastUsedAt'])
    .where((row) => rowIs(row, { projectId, mailboxId }))
    .orderBy('id')
    .execute();
}

/** Revokes an app password and ends its sessions within two seconds. @returns false if the mailbox has no such app password */
export async function revokeAppPassword(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  id: string,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const revoked = await tx
      .deleteFrom('appPasswords')
      .where((row) => rowIs(row, { projectId, mailboxId, id }))
      .returning('name')
      .executeTakeFirst();
    if (revoked === undefined) return false;
    await recordChange(tx, {
      ...changeOf(projectId, 'revoke', id, revoked.name),
      before: { name: revoked.name, mailbox_id: encodeId('mbx', mailboxId) },
    });
    return true;
  });
}

function changeOf(projectId: string, verb: 'create' | 'revoke', id: string, name: string) {
  const target = encodeId('app', id);
  return { of: { projectId }, action: `app-password.${verb}`, target, targetName: name } as const;
}

/** Records a sign-in with an app password, at most once an hour. */
export async function noteUse(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  { id, lastUsedAt }: StoredAppPassword,
): Promise<void> {
  const now = clock.now();
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < NOTED_MS) return;
  await database
    .updateTable('appPasswords')
    .set({ lastUsedAt: now })
    .where((row) => rowIs(row, { projectId, mailboxId, id }))
    .execute();
}

function nameFault(name: string): string | null {
  if (name.trim() === '') return 'must not be blank: enter the name of the app';
  return name.length > MAX_NAME_LENGTH
    ? `must have at most ${MAX_NAME_LENGTH} characters`
    : oneLineFault(name);
}
