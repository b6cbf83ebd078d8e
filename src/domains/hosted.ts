/** The hosted domain: every project may send from it, and its keys are the operator's. */
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { newUuid, NIL_UUID } from '../model/ids.ts';
import { createKey } from './dkim-key.ts';

/** The owner of what belongs to the installation and to no project. */
export const HOSTED_PROJECT_ID = NIL_UUID;

/** The number allows a second pair beside the first. */
const FIRST_KEYS = [
  { selector: 'ph1r', algorithm: 'rsa-sha256' },
  { selector: 'ph1e', algorithm: 'ed25519-sha256' },
] as const;

/**
 * The names of RFC 2142, and others that people take for the operator of a domain. Certification authorities do too: the reader of
 * mail to `admin`, `administrator`, `hostmaster`, `postmaster` or `webmaster` can get a certificate for the domain.
 */
export const OPERATOR_LOCAL_PARTS: ReadonlySet<string> = new Set([
  'postmaster',
  'abuse',
  'mailer-daemon',
  'hostmaster',
  'webmaster',
  'security',
  'admin',
  'administrator',
  'root',
  'ssladmin',
  'noc',
  // The sender of service mail, unless POSTHORN_MAIL_FROM is another one.
  'posthorn',
]);

/** Whether a local part of the hosted domain belongs to the operator alone, in any case and with any `+tag`. */
export function isOperatorAddress(localPart: string): boolean {
  const quoted = localPart.startsWith('"') && localPart.endsWith('"');
  // Quotes and backslashes are only a way of writing it (RFC 5322, section 3.2.4).
  const text = quoted ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
  const [name = ''] = text.split('+', 1);
  // Compatibility forms (full width, a long s) look like the plain letters.
  return OPERATOR_LOCAL_PARTS.has(name.normalize('NFKC').trim().toLowerCase());
}

/**
 * Makes the hosted domain and its first keys if they are missing. Another name gets a row and keys of its own, and the
 * earlier ones stay. When several instances start at once, one does it and the others wait.
 *
 * @param name A-labels, lower case
 */
export async function ensureHostedDomain(database: Database, sealer: Sealer, name: string): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const domainId = await lockDomain(tx, name);
    const keys = await tx
      .selectFrom('dkimKeys')
      .select('selector')
      .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, domainId }))
      .execute();
    if (keys.length > 0) return;
    const rows = FIRST_KEYS.map(({ selector, algorithm }) =>
      createKey(sealer, { projectId: HOSTED_PROJECT_ID, domainId, selector }, algorithm),
    );
    await tx
      .insertInto('dkimKeys')
      .values(await Promise.all(rows))
      .execute();
  });
}

async function lockDomain(tx: DatabaseTransaction, name: string): Promise<string> {
  const now = clock.now();
  await tx
    .insertInto('domains')
    .values({
      projectId: HOSTED_PROJECT_ID,
      id: newUuid(),
      name,
      status: 'verified',
      createdAt: now,
      verifiedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
    .execute();
  const { id } = await tx
    .selectFrom('domains')
    .select('id')
    .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, name }))
    .forUpdate()
    .executeTakeFirstOrThrow();
  // The operator vouches for the hosted domain, also if it was one for service mail, which is checked.
  const place = { projectId: HOSTED_PROJECT_ID, domainId: id };
  const { numDeletedRows } = await tx
    .deleteFrom('serviceDomains')
    .where((row) => rowIs(row, place))
    .executeTakeFirst();
  if (numDeletedRows > 0n)
    await tx
      .updateTable('domains')
      .set({ status: 'verified', verifiedAt: now, warningSince: null })
      .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id }))
      .execute();
  return id;
}
