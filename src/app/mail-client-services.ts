/** What the web client is served: the parts of the core, built once for a process. No logic. */
import type { Database } from '../db/database.ts';
import type { MailClientServices } from '../edge/http/mail/services.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { endWebSession, WebSessions } from '../mailboxes/sign-in/web-sessions.ts';
import { WebSignIn } from '../mailboxes/sign-in/web-sign-in.ts';
import { deleteMailFolder, makeMailFolder, renameMailFolder } from '../store/list/change-folders.ts';
import { MailList } from '../store/list/mail-list.ts';
import type { MailServices } from './mail-services.ts';

export interface MailClientServicesOptions {
  database: Database;
  mail: Pick<MailServices, 'signIn' | 'store' | 'notices'>;
  /** For whoever shows mail: it takes no connections of those who accept it. */
  reads: FairReads;
}

export function createMailClientServices({
  database,
  mail: { signIn, store, notices },
  reads,
}: MailClientServicesOptions): MailClientServices {
  const sessions = new WebSessions(database);
  return {
    signIn: new WebSignIn(database, signIn),
    sessions: {
      find: (token) => sessions.find(token),
      look: (token) => sessions.look(token),
      end: (...session) => endWebSession(database, ...session),
    },
    lists: new MailList({ store, reads }),
    folders: {
      create: (...folder) => makeMailFolder(store, ...folder),
      rename: (...folder) => renameMailFolder(store, ...folder),
      delete: (...folder) => deleteMailFolder(store, ...folder),
    },
    notices,
  };
}
