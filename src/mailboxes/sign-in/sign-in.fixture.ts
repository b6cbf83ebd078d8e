/** Mailboxes with owners who sign in, for tests. */
import assert from 'node:assert/strict';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { SECRET, type TestDatabase } from '../../../test/support/postgres.ts';
import { checkSecret } from '../../db/seal.ts';
import { newUuid } from '../../model/ids.ts';
import { quickHash } from '../../../test/support/quick-hash.ts';
import {
  type SignInAttempt,
  SignIn,
  type SignInOptions,
  type SignedInMailbox,
  type SignInResult,
} from './sign-in.ts';

export const PASSWORD = 'correct horse battery';
/** An arbitrary client address. */
export const SOMEWHERE = '192.0.2.1';

export interface Owner {
  projectId: string;
  mailboxId: string;
  user: string;
}

const hashed = quickHash(PASSWORD);

/** Creates a mailbox on its own verified domain. */
export async function newOwner({ database }: TestDatabase): Promise<Owner> {
  const projectId = await newProject(database);
  const [domain, mailboxId] = [`${newUuid()}.example`, newUuid()];
  await database
    .insertInto('mailboxes')
    .values({
      projectId,
      id: mailboxId,
      domainId: await newDomain(database, projectId, domain, { status: 'verified' }),
      domain,
      localPart: 'sales',
      localPartKey: 'sales',
      passwordHash: hashed,
      isCatchAll: false,
      quotaMb: 1,
      createdAt: new Date(),
    })
    .execute();
  return { projectId, mailboxId, user: `sales@${domain}` };
}

/** Creates a `SignIn` as a separate process would have. @param lines receives the log lines of the process */
export function newProcess(
  db: TestDatabase,
  lines: object[] = [],
  options: Pick<SignInOptions, 'timings'> = {},
): SignIn {
  return new SignIn({
    database: db.database,
    databaseUrl: db.url,
    processId: newUuid(),
    unseal: () => checkSecret(db.database, SECRET),
    logger: { info: (fields, msg) => lines.push({ ...fields, msg }) },
    ...options,
  });
}

export function attempt(
  signIn: SignIn,
  user: string,
  options: Partial<SignInAttempt> = {},
): Promise<SignInResult> {
  return signIn.signIn({
    user,
    password: PASSWORD,
    address: SOMEWHERE,
    door: 'imap',
    access: 'read',
    ...options,
  });
}

export async function signedIn(
  signIn: SignIn,
  user: string,
  options: Partial<SignInAttempt> = {},
): Promise<SignedInMailbox> {
  const result = await attempt(signIn, user, options);
  assert.ok(result.outcome === 'signed-in', result.outcome);
  return result.mailbox;
}
