import { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../db/database.ts';
import { QueueNotifier } from '../db/notify.ts';
import { checkSecret } from '../db/seal.ts';
import { Networks } from '../net/networks.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { TrustedRelays } from '../receiving/authenticate/trusted-relays.ts';
import { DEFAULT_SEALERS } from '../receiving/authenticate/trusted-sealers.ts';
import { Examiner } from '../receiving/examine/examiner.ts';
import { MessageFiler } from '../receiving/file/message-filer.ts';
import { Filings } from '../receiving/rules/filing.ts';
import { Bayes } from '../receiving/spam/bayes.ts';
import type { Rspamd } from '../receiving/spam/rspamd.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { SERVICE_TOKEN_KEY, ServiceTokens } from '../sending/service-mail/service-tokens.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import { Store } from '../store/store.ts';
import { openObjects } from './objects.ts';
import type { RoleContext } from './role-context.ts';

/** Takes messages into mailboxes, whoever brings them. It is closed with the role. */
export async function createFiler(
  { stack, assignment, config, logger }: RoleContext,
  database: Database,
): Promise<MessageFiler> {
  const sealer = await checkSecret(database, assignment.secret);
  const { hostname, dns, rspamdUrl, arcSealers, trustedRelays } = config;
  return new MessageFiler({
    hostname,
    examiner: stack.use(
      new Examiner({
        hostname,
        dns,
        sealers: arcSealers.flatMap((sealer) => (sealer === 'default' ? [...DEFAULT_SEALERS] : [sealer])),
        bayes: new Bayes(database),
        rspamd: rspamdUrl === null ? null : stack.use(await openRspamd(rspamdUrl)),
        logger,
      }),
    ),
    relays: new TrustedRelays(new Networks(trustedRelays)),
    blobs: new Blobs(database, openObjects(config, stack)),
    facts: stack.use(new FactsReader()),
    store: new Store(
      database,
      stack.use(
        new SearchIndexer(assignment.databaseUrl, (error) =>
          logger.error({ err: error }, LOG_MESSAGES.indexingFailed),
        ),
      ),
    ),
    filings: new Filings(database),
    database,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    serviceTokens: new ServiceTokens(sealer.deriveKey(SERVICE_TOKEN_KEY)),
    onQueued: new QueueNotifier(database).wake,
    logger,
  });
}

/** Few installations have one, and the client that asks it is large. */
async function openRspamd(url: string): Promise<Rspamd> {
  const { Rspamd } = await import('../receiving/spam/rspamd.ts');
  return new Rspamd(url);
}
