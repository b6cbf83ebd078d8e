import { Networks } from '../net/networks.ts';
import { TrustedRelays } from '../receiving/authenticate/trusted-relays.ts';
import { Blocklists } from '../receiving/blocklists/blocklists.ts';
import { domainsOfInstallation } from '../receiving/blocklists/domains-of-installation.ts';
import { MessageFiler } from '../receiving/file/message-filer.ts';
import { RouteLimits } from '../receiving/route/route-limits.ts';
import { MailboxFiltersCache } from '../receiving/rules/mailbox-filters.ts';
import type { Rspamd } from '../receiving/spam/rspamd.ts';
import { SERVICE_TOKEN_KEY, ServiceTokens } from '../sending/service-mail/service-tokens.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { Store } from '../store/store.ts';
import type { BaseCore } from './base-core.ts';
import { createExaminer } from './examiner.ts';
import { createIndexer } from './indexer.ts';

/**
 * Creates the service that stores messages in mailboxes, whether they arrive by SMTP or are sent within the installation. The core closes
 * the service.
 * @param processes the number of processes that receive mail in the same way as this one
 */
export async function createFiler(core: BaseCore, processes: () => number): Promise<MessageFiler> {
  const { config, database, stack, logger } = core;
  const sealer = await core.unseal();
  const { hostname, rspamdUrl, trustedRelays, blocklists } = config;
  return new MessageFiler({
    hostname,
    examiner: createExaminer(core, {
      rspamd: rspamdUrl === null ? null : stack.use(await openRspamd(rspamdUrl)),
      // rspamd queries lists of its own.
      blocklists: rspamdUrl === null && blocklists.length > 0 ? openBlocklists(core) : undefined,
    }),
    relays: new TrustedRelays(new Networks(trustedRelays)),
    blobs: core.blobs,
    facts: stack.use(new FactsReader()),
    store: new Store(database, createIndexer(core)),
    filters: new MailboxFiltersCache(database),
    database,
    returnPaths: core.returnPaths,
    serviceTokens: new ServiceTokens(sealer.deriveKey(SERVICE_TOKEN_KEY)),
    routeLimits: new RouteLimits({ database, processes }),
    onQueued: core.wake,
    logger,
  });
}

/** The rspamd client is loaded only if rspamd is configured: few installations use rspamd, and the client is large. */
async function openRspamd(url: string): Promise<Rspamd> {
  const { Rspamd } = await import('../receiving/spam/rspamd.ts');
  return new Rspamd(url);
}

function openBlocklists({ config, database, logger }: BaseCore): Blocklists {
  const { hostname, mxNames, hostedDomain, baseUrl, mailUrl } = config;
  const urls = [baseUrl, mailUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return new Blocklists({
    lists: config.blocklists,
    dns: config.dns,
    hosts: [hostname, ...mxNames, hostedDomain, ...urls],
    ownDomains: (domains) => domainsOfInstallation(database, domains),
    logger,
  });
}
