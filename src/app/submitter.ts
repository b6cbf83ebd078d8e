import type { Examiner } from '../receiving/examine/examiner.ts';
import { authenticateRedirected } from '../receiving/forward/redirected.ts';
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
  let examiner: Promise<Examiner> | null = null;
  return stack.use(
    new Submitter({
      database,
      blobs,
      domains: sendingDomains,
      store,
      facts,
      isOfProject: (projectId, address) => isOfProject(database, mailDomains, projectId, address),
      isUnknown: (address) => router.isUnknown(address),
      authenticate: async (message) => {
        // Loaded on use, because few messages are redirected.
        examiner ??= import('./examiner.ts').then(({ createExaminer }) => createExaminer(core, null));
        return authenticateRedirected(await examiner, message);
      },
      hostname: config.hostname,
      onQueued: wake,
    }),
  );
}
