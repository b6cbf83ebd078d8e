/** The labels of a mailbox: keywords of its messages, with names and colors. */
import { sql } from 'kysely';
import type { MailLabel, RemovedMailLabel, SaveMailLabel } from '../../contract/mail/labels.ts';
import { textArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import type { LabelColor } from '../../model/label-colors.ts';
import { foldedKeyword, MAX_KEYWORD_LENGTH } from '../../store/flags.ts';
import { type Folder, listFolders } from '../../store/folders.ts';
import { lockMailboxes, type MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { rangesOf } from '../../store/uid-ranges.ts';
import { labelKeyword, marksOf, USUAL_LABELS } from './keywords.ts';

export const MAX_LABELS = 100;
/** Unread messages with keywords are counted up to this number. */
const MAX_COUNTED = 20_000;
/** How many messages lose a label per request. */
const MAX_UNLABELLED = 5_000;
/** The length of a keyword made from a name, short enough for a number after it. */
const MAX_SLUG = 40;

const SAVED = columnsOf({ keyword: 'text', name: 'text', color: shaped<LabelColor | null>('text?') });
export type SavedLabel = RowOf<typeof SAVED>;

export interface MailLabelsOptions {
  database: Database;
  reads: FairReads;
  store: Pick<Store, 'folders' | 'flag'>;
}

export class MailLabels {
  readonly #options: MailLabelsOptions;

  constructor(options: MailLabelsOptions) {
    this.#options = options;
  }

  /** Labels sorted by name. At most `MAX_LABELS` and those that mail apps made. */
  async list(mailbox: MailboxKey): Promise<MailLabel[]> {
    const folders = await this.#options.store.folders(mailbox);
    return this.#options.reads.run(mailbox.projectId, async (database) => {
      const labels = await readLabels(database, mailbox, folders);
      const unread = await readUnread(database, mailbox, folders);
      return labels.map((label) => ({ ...label, unread: unread.get(label.keyword) ?? 0 }));
    });
  }

  /** Creates a label, or changes its name and color. @throws AppError validation-failed, already-exists */
  async save(mailbox: MailboxKey, { keyword, name: typed, color }: SaveMailLabel): Promise<MailLabel> {
    const { database } = this.#options;
    const name = typed.normalize('NFC').trim().replace(/\s+/gu, ' ');
    if (name === '' || /\p{Cc}/u.test(name))
      throw validationError({ name: 'must contain visible characters' });
    const changed = keyword === undefined ? null : labelKeyword(keyword);
    if (keyword !== undefined && changed === null)
      throw validationError({ keyword: 'is not the keyword of a label' });
    await this.#options.store.folders(mailbox);
    return database.transaction().execute(async (tx) => {
      if ((await lockMailboxes(tx, [mailbox])).size === 0)
        throw new AppError('not-found', 'The mailbox is deleted.');
      const labels = await readLabels(tx, mailbox, await listFolders(tx, mailbox));
      if (labels.some((label) => label.keyword !== changed && fold(label.name) === fold(name)))
        throw new AppError('already-exists', 'A label with this name already exists. Choose another name.');
      const known = new Set(labels.map((label) => label.keyword));
      if ((changed === null || !known.has(changed)) && labels.length >= MAX_LABELS)
        throw validationError({ name: `a mailbox can have at most ${MAX_LABELS} labels: delete one first` });
      const key = changed ?? freeKeyword(name, known);
      const { projectId, mailboxId } = mailbox;
      await tx
        .insertInto('mailboxLabels')
        .values({ projectId, mailboxId, keyword: key, name, color, createdAt: clock.now() })
        .onConflict((on) => on.columns(['projectId', 'mailboxId', 'keyword']).doUpdateSet({ name, color }))
        .execute();
      return { keyword: key, name, color, unread: 0 };
    });
  }

  /**
   * Removes a label from messages, at most `MAX_UNLABELLED` of them, and deletes it once no message has it. Messages stay.
   * @throws AppError validation-failed
   */
  async remove(mailbox: MailboxKey, text: string): Promise<RemovedMailLabel> {
    const keyword = labelKeyword(text);
    if (keyword === null) throw validationError({ keyword: 'is not the keyword of a label' });
    const { store, reads, database } = this.#options;
    let left = MAX_UNLABELLED;
    for (const folder of await store.folders(mailbox)) {
      const spelled = spellingIn(folder, keyword);
      if (spelled === undefined) continue;
      const key = { ...mailbox, folderId: folder.id };
      const { rows } = await reads.run(mailbox.projectId, (each) =>
        UID.sql`
          select uid from messages
          where project_id = ${mailbox.projectId} and mailbox_id = ${mailbox.mailboxId} and folder_id = ${folder.id}
            and keywords @> array[${spelled}::text] order by uid limit ${left + 1}`.execute(each),
      );
      const uids = rows.slice(0, left).map(({ uid }) => uid);
      if (uids.length > 0)
        await store.flag(key, rangesOf(uids), { op: 'remove', flags: 0, keywords: [spelled] });
      left -= uids.length;
      if (rows.length > uids.length) return { is_complete: false };
    }
    await database.transaction().execute((tx) => forget(tx, mailbox, keyword));
    return { is_complete: true };
  }
}

const UID = columnsOf({ uid: 'int4' });

/** A folder spells each keyword in one way. */
function spellingIn({ keywords }: Pick<Folder, 'keywords'>, keyword: string): string | undefined {
  return keywords.find((each) => foldedKeyword(each) === keyword);
}

/** Deletes a label. Folders whose messages no longer have the keyword stop offering it to mail apps. */
async function forget(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  keyword: string,
): Promise<void> {
  await lockMailboxes(tx, [{ projectId, mailboxId }]);
  await sql`delete from mailbox_labels
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and keyword = ${keyword}`.execute(tx);
  for (const folder of await listFolders(tx, { projectId, mailboxId })) {
    const spelled = spellingIn(folder, keyword);
    if (spelled === undefined) continue;
    await sql`
      update folders f set keywords = array_remove(f.keywords, ${spelled})
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folder.id} and not exists (
        select from messages m
        where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id
          and m.keywords @> array[${spelled}::text])`.execute(tx);
  }
}

/** Reads the saved labels and the keywords that mail apps set. @param folders all folders of the mailbox */
export async function readLabels(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  folders: readonly Pick<Folder, 'keywords'>[],
): Promise<SavedLabel[]> {
  const { rows } = await SAVED.sql`
    select keyword, name, color from mailbox_labels
    where project_id = ${projectId} and mailbox_id = ${mailboxId} limit ${MAX_LABELS}`.execute(database);
  const saved = new Set(rows.map(({ keyword }) => keyword));
  const others = marksOf(folders.flatMap(({ keywords }) => keywords)).labels.filter(
    (each) => !saved.has(each),
  );
  return [
    ...rows,
    ...others.map((keyword) => {
      const usual = USUAL_LABELS.get(keyword);
      return { keyword, name: usual?.name ?? keyword, color: usual?.color ?? null };
    }),
  ].sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.keyword < b.keyword ? -1 : 1));
}

const UNREAD = columnsOf({ keyword: 'text', unread: 'int4' });

async function readUnread(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  folders: readonly Folder[],
): Promise<ReadonlyMap<string, number>> {
  const left = folders.filter(({ role }) => role === 'junk' || role === 'trash').map(({ id }) => id);
  const { rows } = await UNREAD.sql`
    select lower(k) as keyword, count(distinct m.object_id)::int as unread from (
      select object_id, keywords from messages
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and keywords <> '{}' and flags & 1 = 0
        and folder_id <> all (${textArray(left)}::text[]::uuid[])
      limit ${MAX_COUNTED}) m
    cross join lateral unnest(m.keywords) k group by 1`.execute(database);
  return new Map(rows.map(({ keyword, unread }) => [keyword, unread]));
}

function fold(name: string): string {
  return name.toLowerCase();
}

/** A keyword that no label has, similar to the name so that it is readable in mail apps. */
function freeKeyword(name: string, known: ReadonlySet<string>): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-+|-+$/gu, '')
    .slice(0, MAX_SLUG);
  const first = slug === '' ? `label-${newUuid().slice(-8)}` : slug;
  for (let at = 1; at <= MAX_LABELS + 1; at++) {
    const keyword = at === 1 ? first : `${first}-${at}`;
    if (labelKeyword(keyword) !== null && !known.has(keyword)) return keyword;
  }
  return `label-${newUuid()}`.slice(0, MAX_KEYWORD_LENGTH);
}
