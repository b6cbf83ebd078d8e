/** Turns what users do with their mail into lessons (docs/operate/spam.md, What is learned). */
import { columnsOf, shaped } from '../../db/columns.ts';
import { int4Array } from '../../db/arrays.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import type { FolderRole, FolderUse } from '../../model/folder-roles.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { MailObserver, MovedMessages } from '../../store/store.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { Learned, SpamKind } from './learned.ts';

/** What a folder is for: its role, or the special use that a mail app gave it. `unclear`: its name says that its mail is not wanted. */
type FolderPurpose = FolderRole | 'unclear' | null;

export interface LessonsOptions {
  database: Database;
  blobs: Pick<Blobs, 'open'>;
  learned: Pick<Learned, 'train' | 'knowSenders'>;
}

/** The maximum number of messages learned from one action. More messages would add little. */
const MAX_MESSAGES = 200;
/** The maximum number of queued actions. Further actions are ignored. */
const MAX_WAITING = 100;
/** The number of octets read from each message. Words after this limit do not count (`mail.ts`). */
const MAX_OCTETS = 524_288;
/** Folders whose mail is not wanted mail from others. Starring mail there teaches nothing. */
const NOT_WANTED: ReadonlySet<FolderPurpose> = new Set<FolderPurpose>([
  'junk',
  'trash',
  'sent',
  'drafts',
  'unclear',
]);
/** Names that mail apps give to their own folders for deleted mail and spam (`Deleted Items`, `[Gmail]/Spam`), in several languages. */
const DISCARDING =
  /^(?:trash|bin|rubbish|deleted(?: (?:items|messages))?|junk(?:[ -]?e?-?mails?)?|(?:bulk )?spam(?:verdacht)?|bulk mail|papierkorb|gelöschte (?:elemente|objekte|nachrichten)|corbeille|éléments supprimés|courrier indésirable|indésirables|pourriel|papelera|elementos eliminados|correo no deseado|lixo(?: eletrônico)?|itens excluídos|cestino|posta eliminata|posta indesiderata|prullenbak|verwijderde items|ongewenste e-mail|kosz|elementy usunięte|wiadomości-śmieci|корзина|удаленные|удалённые|спам|çöp kutusu|silinmiş öğeler|gereksiz e-posta|垃圾邮件|已删除邮件|废件箱|迷惑メール|ゴミ箱|削除済みアイテム|البريد العشوائي|المهملات)$/iu;

/** Learns in the background, one message at a time. */
export class Lessons implements MailObserver, AsyncDisposable {
  readonly #options: LessonsOptions;
  #waiting = 0;
  #line: Promise<void> = Promise.resolve();

  constructor(options: LessonsOptions) {
    this.#options = options;
  }

  moved(moved: MovedMessages): void {
    this.#queue(() => this.#learnMoved(moved));
  }

  valued(folder: FolderKey, uids: readonly number[]): void {
    this.#queue(async () => {
      const purposes = await this.#purposesOf(folder, [folder.folderId]);
      if (!NOT_WANTED.has(purposes(folder.folderId))) await this.#learn(folder, uids, 'ham');
    });
  }

  sent(mailbox: MailboxKey, recipients: readonly string[]): void {
    this.#queue(() => this.#options.learned.knowSenders(mailbox, recipients.slice(0, MAX_MESSAGES)));
  }

  /** Resolves when all actions so far are learned. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#line;
  }

  #queue(task: () => Promise<void>): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#line = this.#line
      .then(task)
      // A lesson is lost if the database is unavailable or the mailbox was deleted in the meantime.
      .catch(() => {})
      .finally(() => this.#waiting--);
  }

  async #learnMoved({ fromFolderId, toFolderId, uids, ...mailbox }: MovedMessages): Promise<void> {
    const purposes = await this.#purposesOf(mailbox, [fromFolderId, toFolderId]);
    const kind = kindOfMove(purposes(fromFolderId), purposes(toFolderId));
    if (kind !== null) await this.#learn({ ...mailbox, folderId: toFolderId }, uids, kind);
  }

  async #learn(
    { projectId, mailboxId, folderId }: FolderKey,
    uids: readonly number[],
    kind: SpamKind,
  ): Promise<void> {
    const { database, blobs, learned } = this.#options;
    const { rows } = await columnsOf({
      digest: 'bytea',
      authentication: shaped<Omit<Authentication, 'header'> | null>('json?'),
    }).sql`
      select c.digest, c.authentication from messages m
      join message_contents c on c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
        and m.uid = any(${int4Array(uids.slice(0, MAX_MESSAGES))}::int4[])`.execute(database);
    for (const { digest, authentication } of rows) {
      const head = await readHead(blobs, projectId, digest);
      if (head !== null) await learned.train({ projectId, mailboxId, digest, head, authentication }, kind);
    }
  }

  async #purposesOf(
    { projectId, mailboxId }: MailboxKey,
    ids: readonly string[],
  ): Promise<(id: string) => FolderPurpose> {
    const folders = await this.#options.database
      .selectFrom('folders')
      .select(['id', 'name', 'role', 'uses'])
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('id', 'in', ids)
      .execute();
    // A folder that was deleted in the meantime teaches nothing.
    return (id) => purposeOf(folders.find((folder) => folder.id === id) ?? GONE);
  }
}

/** Reads the part of a message that is learned; the same part each time, so that a lesson can be taken back. Null if the message is gone. */
export async function readHead(
  blobs: Pick<Blobs, 'open'>,
  projectId: string,
  digest: Buffer,
): Promise<Buffer | null> {
  const blob = await blobs.open(projectId, digest);
  return (await blob?.read({ start: 0, end: Math.min(blob.size, MAX_OCTETS) })) ?? null;
}

interface FolderFacts {
  name: string | null;
  role: FolderRole | null;
  uses: readonly FolderUse[];
}

const GONE: FolderFacts = { name: 'Trash', role: null, uses: [] };

function purposeOf({ name, role, uses }: FolderFacts): FolderPurpose {
  if (role !== null) return role;
  const use = (['trash', 'junk', 'sent', 'drafts', 'archive'] as const).find((each) => uses.includes(each));
  if (use !== undefined) return use;
  return DISCARDING.test(name?.split('/').at(-1) ?? '') ? 'unclear' : null;
}

/** @returns null if nothing can be learned from the move. For example, deleting mail from Junk does not mean that the mail is wanted. */
function kindOfMove(from: FolderPurpose, to: FolderPurpose): SpamKind | null {
  if (from === to || to === 'unclear') return null;
  if (to === 'junk') return 'junk';
  if (from === 'junk') return to === 'trash' ? null : 'ham';
  // Mail that its owner files in a folder of their own is wanted.
  return from === 'inbox' && to === null ? 'ham' : null;
}
