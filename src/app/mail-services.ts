import { Blobs } from '../blobs/blobs.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { Bayes } from '../receiving/spam/bayes.ts';
import { JunkLessons } from '../receiving/spam/junk-lessons.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { MailNotices } from '../store/notices.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import { Store } from '../store/store.ts';
import { openObjects } from './objects.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** What mail apps are served from, by whatever protocol: opened once for a process, and closed with it. */
export interface MailServices {
  database: Database;
  store: Store;
  blobs: Blobs;
  /** Where those are that are large, and large files of links. */
  objects: ObjectStore;
  facts: FactsReader;
  notices: MailNotices;
  signIn: SignIn;
}

export function openMailServices(context: RoleContext): MailServices {
  const { stack, assignment, config, logger } = context;
  // A large folder must not take the connections that accepting needs.
  const database = openPool(context, { name: 'mail', poolSize: config.mailConnections });
  const objects = openObjects(config, stack);
  const blobs = new Blobs(database, objects);
  const lessons = stack.use(new JunkLessons({ database, blobs, bayes: new Bayes(database) }));
  const indexer = stack.use(
    new SearchIndexer(assignment.databaseUrl, (error) =>
      logger.error({ err: error }, LOG_MESSAGES.indexingFailed),
    ),
  );
  return {
    database,
    blobs,
    objects,
    store: new Store(database, indexer, lessons.learn),
    facts: stack.use(new FactsReader()),
    notices: stack.use(new MailNotices(assignment.databaseUrl)),
    signIn: stack.use(
      new SignIn({
        database,
        databaseUrl: assignment.databaseUrl,
        processId: assignment.leaseId,
        logger,
      }),
    ),
  };
}
