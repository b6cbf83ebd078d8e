/** The hosted domain. All tests of a process share its keys, because creating an RSA key takes a tenth of a second of processor time. */
import type { Selectable } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Sealer } from '../../src/db/seal.ts';
import type { Tables } from '../../src/db/tables.ts';
import { rowIs } from '../../src/db/row-is.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../../src/domains/hosted.ts';
import { HOSTED_DOMAIN } from './core.ts';

let made:
  | Promise<{ domains: Selectable<Tables['domains']>[]; keys: Selectable<Tables['dkimKeys']>[] }>
  | undefined;

/** @param db a database from `sealedDatabase`. All such databases of a process have one sealing key, so they can share the domain's keys */
export async function addHostedDomain(db: { database: Database; sealer: Sealer }): Promise<void> {
  if (made === undefined) {
    made = make(db);
    await made;
    return;
  }
  const { domains, keys } = await made;
  await db.database
    .insertInto('domains')
    .values(domains.map((domain) => ({ ...domain, checks: null })))
    .execute();
  await db.database.insertInto('dkimKeys').values(keys).execute();
}

async function make({ database, sealer }: { database: Database; sealer: Sealer }) {
  await ensureHostedDomain(database, sealer, HOSTED_DOMAIN);
  const ofHosted = { projectId: HOSTED_PROJECT_ID };
  return {
    domains: await database
      .selectFrom('domains')
      .selectAll()
      .where((row) => rowIs(row, ofHosted))
      .execute(),
    keys: await database
      .selectFrom('dkimKeys')
      .selectAll()
      .where((row) => rowIs(row, ofHosted))
      .execute(),
  };
}
