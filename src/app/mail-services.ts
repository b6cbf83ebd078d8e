import type { Blobs } from '../blobs/blobs.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { Learned } from '../receiving/spam/learned.ts';
import { Lessons } from '../receiving/spam/lessons.ts';
import type { FactsReader } from '../store/facts/facts-reader.ts';
import type { MailNotices } from '../store/notices.ts';
import { Store } from '../store/store.ts';
import type { BaseCore } from './base-core.ts';
import { createIndexer } from './indexer.ts';

/** Services for mailbox access, shared by all protocols. Opened once per process. */
export interface MailServices {
  database: Database;
  store: Store;
  blobs: Blobs;
  /** Storage for large messages and for the files of file links. */
  objects: ObjectStore;
  facts: FactsReader;
  notices: MailNotices;
  signIn: SignIn;
}

/** Uses the lane `mail`, because reading a large folder must not take the connections that accept emails. The core closes the services. */
export function openMailServices(core: BaseCore): MailServices {
  const mail = core.on('mail');
  const { stack, database, databaseUrl, processId, logger, blobs, objects, facts } = mail;
  const lessons = stack.use(new Lessons({ database, blobs, learned: new Learned(database) }));
  return {
    database,
    blobs,
    objects,
    store: new Store(database, createIndexer(core), lessons),
    facts,
    notices: mail.mailNotices,
    signIn: stack.use(new SignIn({ database, databaseUrl, processId, logger, unseal: () => mail.unseal() })),
  };
}
