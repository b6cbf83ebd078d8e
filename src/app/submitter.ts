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
  let checking: ReturnType<typeof loadChecking> | null = null;
  return stack.use(
    new Submitter({
      database,
      blobs,
      domains: sendingDomains,
      store,
      facts,
      isOfProject: (projectId, address) => isOfProject(database, mailDomains, projectId, address),
      isUnknown: (address) => router.isUnknown(address),
      checkRedirected: async (projectId, message, author) => {
        checking ??= loadChecking(core);
        const { examiner, checkRedirected } = await checking;
        return checkRedirected({ database, examiner }, projectId, message, author);
      },
      hostname: config.hostname,
      onQueued: wake,
    }),
  );
}

/** Loads the check of redirected messages on first use. Few messages are redirected, and the check needs the public suffix list (6 MB). */
async function loadChecking(core: BaseCore) {
  const [{ createExaminer }, { checkRedirected }] = await Promise.all([
    import('./examiner.ts'),
    import('../receiving/forward/redirected.ts'),
  ]);
  return { examiner: createExaminer(core, { rspamd: null }), checkRedirected };
}
