/** Builds the services that serve and scan file links from the core, once per process. No logic. */
import type { ApiOptions } from '../doors/http/api.ts';
import { LinkFiles } from '../file-links/link-files.ts';
import { LinkDoor } from '../file-links/open/link-door.ts';
import { FILE_LINKS_KEY, LinkProofs } from '../file-links/open/link-proofs.ts';
import { LinkScanner } from '../file-links/scan/link-scanner.ts';
import type { BaseCore } from './base-core.ts';

/** The services use the lane `mail`, except that reads for visitors of links use the lane `web-mail`. */
export function createFileLinks(core: BaseCore): Omit<NonNullable<ApiOptions['fileLinks']>, 'address'> {
  const { database, objects, stack, sealer, config } = core.on('mail');
  const files = new LinkFiles(database, objects);
  return {
    door: stack.use(new LinkDoor({ database, reads: core.reads('web-mail') })),
    proofs: new LinkProofs(sealer.deriveKey(FILE_LINKS_KEY)),
    read: (...asked) => files.read(...asked),
    hasScanner: config.clamd !== null,
  };
}

/** Creates the virus scanner for files of links. Null if no scanner is configured. */
export function createLinkScanner(core: BaseCore): LinkScanner | null {
  const { clamd } = core.config;
  if (clamd === null) return null;
  const { database, objects, logger } = core.on('scanning');
  const files = new LinkFiles(database, objects);
  return new LinkScanner({
    database,
    clamd,
    logger,
    read: (...asked) => files.read(...asked),
  });
}
