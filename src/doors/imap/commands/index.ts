/** All commands: the allowed state, the handler, and the updates before the tagged response. */
import type { Command } from '../../../rfc/imap/command.ts';
import type { UpdatePolicy } from '../session.ts';
import type { CommandEntry, Named } from './entry.ts';
import { getAcl, listRights, myRights, setAcl } from './acl.ts';
import { append } from './append.ts';
import { authenticate } from './authenticate.ts';
import { close, unselect } from './close.ts';
import { compress } from './compress.ts';
import { copy, move } from './copy.ts';
import { create } from './create.ts';
import { deleteMailbox } from './delete.ts';
import { enable } from './enable.ts';
import { expunge } from './expunge.ts';
import { fetch } from './fetch.ts';
import { idle } from './idle.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { lsub } from './lsub.ts';
import { namespace } from './namespace.ts';
import { capability, check, id, logout, noop } from './plain.ts';
import { getQuota, getQuotaRoot, setQuota } from './quota.ts';
import { rename } from './rename.ts';
import { replace } from './replace.ts';
import { search } from './search.ts';
import { select } from './select.ts';
import { sort } from './sort.ts';
import { startTls } from './starttls.ts';
import { status } from './status.ts';
import { store } from './store.ts';
import { subscribe } from './subscribe.ts';
import { thread } from './thread.ts';

// biome-ignore format: a table
export const COMMANDS = {
  CAPABILITY: { in: 'any', run: capability },
  NOOP: { in: 'any', run: noop, pollsStore: true },
  ID: { in: 'any', run: id },
  LOGOUT: { in: 'any', run: logout, updates: 'nothing' },
  STARTTLS: { in: 'before', run: startTls },
  LOGIN: { in: 'before', run: login },
  AUTHENTICATE: { in: 'before', run: authenticate },
  ENABLE: { in: 'signed-in', run: enable },
  COMPRESS: { in: 'signed-in', run: compress },
  SELECT: { in: 'signed-in', run: select, updates: 'nothing' },
  EXAMINE: { in: 'signed-in', run: select, updates: 'nothing' },
  CREATE: { in: 'signed-in', run: create, writes: 'mailbox' },
  DELETE: { in: 'signed-in', run: deleteMailbox, writes: 'mailbox' },
  RENAME: { in: 'signed-in', run: rename, writes: 'mailbox' },
  SUBSCRIBE: { in: 'signed-in', run: subscribe, writes: 'mailbox' },
  UNSUBSCRIBE: { in: 'signed-in', run: subscribe, writes: 'mailbox' },
  LIST: { in: 'signed-in', run: list },
  LSUB: { in: 'signed-in', run: lsub },
  STATUS: { in: 'signed-in', run: status },
  NAMESPACE: { in: 'signed-in', run: namespace },
  GETQUOTA: { in: 'signed-in', run: getQuota },
  GETQUOTAROOT: { in: 'signed-in', run: getQuotaRoot },
  SETQUOTA: { in: 'signed-in', run: setQuota },
  GETACL: { in: 'signed-in', run: getAcl },
  MYRIGHTS: { in: 'signed-in', run: myRights },
  LISTRIGHTS: { in: 'signed-in', run: listRights },
  SETACL: { in: 'signed-in', run: setAcl },
  DELETEACL: { in: 'signed-in', run: setAcl },
  IDLE: { in: 'signed-in', run: idle },
  APPEND: { in: 'signed-in', run: append, writes: 'mailbox' },
  REPLACE: { in: 'selected', run: replace, writes: 'folder' },
  FETCH: { in: 'selected', run: fetch, updates: numbered },
  CHECK: { in: 'selected', run: check, pollsStore: true },
  CLOSE: { in: 'selected', run: close },
  UNSELECT: { in: 'selected', run: unselect },
  SEARCH: { in: 'selected', run: search, updates: numbered },
  SORT: { in: 'selected', run: sort, updates: numbered },
  THREAD: { in: 'selected', run: thread, updates: numbered },
  STORE: { in: 'selected', run: store, writes: 'folder', updates: numbered },
  COPY: { in: 'selected', run: copy, writes: 'mailbox' },
  MOVE: { in: 'selected', run: move, writes: 'folder' },
  EXPUNGE: { in: 'selected', run: expunge, writes: 'folder' },
} satisfies { [Name in Command['name']]: CommandEntry<Named<Name>> };

/** A command that uses sequence numbers must not change them (RFC 9051, section 7.5.1). */
function numbered({ uid }: { uid: boolean }): UpdatePolicy {
  return uid ? 'everything' : 'no-expunge';
}
