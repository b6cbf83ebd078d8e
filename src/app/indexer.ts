import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import type { BaseCore } from './base-core.ts';

/** Indexes the words of mailboxes, in a thread of its own. It is closed with the core. */
export function createIndexer({ stack, databaseUrl, logger }: BaseCore): SearchIndexer {
  return stack.use(
    new SearchIndexer(databaseUrl, (error) => logger.error({ err: error }, LOG_MESSAGES.indexingFailed)),
  );
}
