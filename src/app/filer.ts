import { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { Examiner } from '../receiving/examine/examiner.ts';
import { MessageFiler } from '../receiving/file/message-filer.ts';
import { Bayes } from '../receiving/spam/bayes.ts';
import { Rspamd } from '../receiving/spam/rspamd.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import { Store } from '../store/store.ts';
import { openObjects } from './objects.ts';
import type { RoleContext } from './role-context.ts';

/** Takes messages into mailboxes, whoever brings them. It is closed with the role. */
export function createFiler(
  { stack, assignment, config, logger }: RoleContext,
  database: Database,
): MessageFiler {
  const { hostname, dns, rspamdUrl } = config;
  return new MessageFiler({
    hostname,
    examiner: stack.use(
      new Examiner({
        hostname,
        dns,
        bayes: new Bayes(database),
        rspamd: rspamdUrl === null ? null : stack.use(new Rspamd(rspamdUrl)),
        logger,
      }),
    ),
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
    logger,
  });
}
