/** Turns moves into and out of Junk into lessons for the project (docs/operate/spam.md, What a project learns). */
import { columnsOf } from '../../db/columns.ts';
import { int4Array } from '../../db/arrays.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import type { MovedMessages } from '../../store/store.ts';
import type { Bayes, SpamKind } from './bayes.ts';

export interface JunkLessonsOptions {
  database: Database;
  blobs: Pick<Blobs, 'open'>;
  bayes: Pick<Bayes, 'train'>;
}

/** The maximum number of messages learned from one move. More messages would add little. */
const MAX_MESSAGES = 200;
/** The maximum number of queued moves. Further moves are ignored. */
const MAX_WAITING = 100;
/** The number of octets read from each message. Words after this limit do not count (`mail.ts`). */
const MAX_OCTETS = 524_288;

/** Learns in the background, one message at a time. */
export class JunkLessons implements AsyncDisposable {
  readonly #options: JunkLessonsOptions;
  #waiting = 0;
  #line: Promise<void> = Promise.resolve();

  constructor(options: JunkLessonsOptions) {
    this.#options = options;
  }

  /** Returns at once. Used as the `onMoved` of the store. */
  readonly learn = (moved: MovedMessages): void => {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#line = this.#line
      .then(() => this.#learn(moved))
      // A lesson is lost if the database is unavailable or the mailbox was deleted in the meantime.
      .catch(() => {})
      .finally(() => this.#waiting--);
  };

  /** Resolves when all moves so far are learned. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#line;
  }

  async #learn(moved: MovedMessages): Promise<void> {
    const kind = await this.#kindOf(moved);
    if (kind === null) return;
    const { projectId, mailboxId, toFolderId, uids } = moved;
    const { database, blobs, bayes } = this.#options;
    const { rows } = await columnsOf({ digest: 'bytea' }).sql`
      select c.digest from messages m
      join message_contents c on c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${toFolderId}
        and m.uid = any(${int4Array(uids.slice(0, MAX_MESSAGES))}::int4[])`.execute(database);
    for (const { digest } of rows) {
      const blob = await blobs.open(projectId, digest);
      const head = await blob?.read({ start: 0, end: Math.min(blob.size, MAX_OCTETS) });
      if (head) await bayes.train(projectId, { digest, head }, kind);
    }
  }
  /** @returns null if nothing can be learned from the move. For example, deleting mail from Junk does not mean that the mail is wanted. */
  async #kindOf({ projectId, mailboxId, fromFolderId, toFolderId }: MovedMessages): Promise<SpamKind | null> {
    const folders = await this.#options.database
      .selectFrom('folders')
      .select(['id', 'role'])
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('id', 'in', [fromFolderId, toFolderId])
      .execute();
    const roleOf = (id: string) => folders.find((folder) => folder.id === id)?.role ?? null;
    const [from, to] = [roleOf(fromFolderId), roleOf(toFolderId)];
    if (from === to) return null;
    if (to === 'junk') return 'junk';
    return from === 'junk' && to !== 'trash' ? 'ham' : null;
  }
}
