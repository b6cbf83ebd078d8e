/** File links as visitors and the scanner have them: the parts of the core, built once for a process. No logic. */
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import type { Sealer } from '../db/seal.ts';
import type { ApiOptions } from '../edge/http/api.ts';
import { LinkFiles } from '../file-links/link-files.ts';
import { LinkDoor } from '../file-links/open/link-door.ts';
import { FILE_LINKS_KEY, LinkProofs } from '../file-links/open/link-proofs.ts';
import { LinkScanner } from '../file-links/scan/link-scanner.ts';
import type { Config } from './config.ts';
import { openPool, type RoleContext } from './role-context.ts';

interface FileLinksOptions {
  database: Database;
  reads: FairReads;
  objects: ObjectStore;
  sealer: Sealer;
  config: Pick<Config, 'clamd'>;
}

/** @param stack closes what is opened here */
export function createFileLinks(
  stack: AsyncDisposableStack,
  { database, reads, objects, sealer, config }: FileLinksOptions,
): Omit<NonNullable<ApiOptions['fileLinks']>, 'address'> {
  const files = new LinkFiles(database, objects);
  return {
    door: stack.use(new LinkDoor({ database, reads })),
    proofs: new LinkProofs(sealer.deriveKey(FILE_LINKS_KEY)),
    read: (...asked) => files.read(...asked),
    hasScanner: config.clamd !== null,
  };
}

/** Null: there is no scanner. */
export function createLinkScanner(context: RoleContext, objects: ObjectStore): LinkScanner | null {
  const { clamd } = context.config;
  if (clamd === null) return null;
  // One holds the lock while a file is looked at, by the other one its parts are found.
  const database = openPool(context, { name: 'scanning', poolSize: 2 });
  const files = new LinkFiles(database, objects);
  return new LinkScanner({
    database,
    clamd,
    logger: context.logger,
    read: (...asked) => files.read(...asked),
  });
}
