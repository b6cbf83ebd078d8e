/** The hosted domain: every project may send from it, and its keys belong to the operator. */
import type { KeyPairKeyObjectResult } from 'node:crypto';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { newUuid, NIL_UUID } from '../model/ids.ts';
import { generateKeys, keyRow } from './dkim-key.ts';

/** The owner of data that belongs to the installation and to no project. */
export const HOSTED_PROJECT_ID = NIL_UUID;

/** The first pair of keys. The number in the selectors leaves room for a second pair later. */
const FIRST_KEYS = [
  { selector: 'ph1r', algorithm: 'rsa-sha256' },
  { selector: 'ph1e', algorithm: 'ed25519-sha256' },
] as const;

/**
 * The names of RFC 2142, and other names that people associate with the operator of a domain. Attack: a certification authority issues a
 * certificate for the domain to any person who reads mail to `admin`, `administrator`, `hostmaster`, `postmaster` or `webmaster`.
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
  // The default sender of service mail.
  'posthorn',
]);

/** Whether a local part of the hosted domain belongs only to the operator, in any letter case and with any `+tag`. */
export function isOperatorAddress(localPart: string): boolean {
  const quoted = localPart.startsWith('"') && localPart.endsWith('"');
  // Quotes and backslashes are not part of the name (RFC 5322, section 3.2.4).
  const text = quoted ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
  const [name = ''] = text.split('+', 1);
  // NFKC, because compatibility forms of letters (full width, a long s) look like the plain letters.
  return OPERATOR_LOCAL_PARTS.has(name.normalize('NFKC').trim().toLowerCase());
}

/** Generates the first keys of a hosted domain. */
export function generateHostedKeys(): Promise<KeyPairKeyObjectResult[]> {
  return Promise.all(FIRST_KEYS.map(({ algorithm }) => generateKeys(algorithm)));
}

/**
 * Creates the hosted domain and its first keys if they do not exist. If the operator changes the name, the new name gets its own row and
 * keys, and those of the earlier name are not changed. When several instances start at once, one creates the domain and the others wait.
 *
 * @param name A-labels, lower case
 * @param generated keys that were generated before they were needed, because generating them can take a second
 */
export async function ensureHostedDomain(
  database: Database,
  sealer: Sealer,
  name: string,
  generated: Promise<KeyPairKeyObjectResult[]> | null = null,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const domainId = await lockDomain(tx, name);
    const keys = await tx
      .selectFrom('dkimKeys')
      .select('selector')
      .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, domainId }))
      .execute();
    if (keys.length > 0) return;
    const keyPairs = await (generated ?? generateHostedKeys());
    const rows = FIRST_KEYS.map(({ selector, algorithm }, at) => {
      const name = { projectId: HOSTED_PROJECT_ID, domainId, selector };
      return keyRow(sealer, name, algorithm, keyPairs[at] as KeyPairKeyObjectResult);
    });
    await tx.insertInto('dkimKeys').values(rows).execute();
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
  // The hosted domain counts as verified without a check. This matters if an operator had added the same name for service mail, because its
  // records were checked until now.
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
