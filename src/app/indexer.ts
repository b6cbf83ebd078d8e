import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import type { BaseCore } from './base-core.ts';

/** Creates the service that builds the search index of mailboxes in a worker thread. The core closes the service. */
export function createIndexer({ stack, databaseUrl, logger }: BaseCore): SearchIndexer {
  return stack.use(
    new SearchIndexer(databaseUrl, (error) => logger.error({ err: error }, LOG_MESSAGES.indexingFailed)),
  );
}
