import { isOfProject } from '../receiving/inside/is-of-project.ts';
import { Submitter } from '../sending/submit/submitter.ts';
import type { BaseCore } from './base-core.ts';
import type { MailServices } from './mail-services.ts';
import { createRouter } from './router.ts';

/**
 * Creates the service that accepts the mail that users send from their mailboxes with mail apps or the web client. The core closes the
 * service.
 */
export function createSubmitter(
  core: BaseCore,
  { blobs, store, facts }: Pick<MailServices, 'blobs' | 'store' | 'facts'>,
): Submitter {
  const { database, config, sendingDomains, mailDomains, wake, stack } = core;
  const router = createRouter(core);
  return stack.use(
    new Submitter({
      database,
      blobs,
      domains: sendingDomains,
      store,
      facts,
      isOfProject: (projectId, address) => isOfProject(database, mailDomains, projectId, address),
      isUnknown: (address) => router.isUnknown(address),
      hostname: config.hostname,
      onQueued: wake,
    }),
  );
}
