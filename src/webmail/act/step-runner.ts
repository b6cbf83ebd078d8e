import { AppError } from '../../model/app-error.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { countOf, rangesOf, type UidRange } from '../../store/uid-ranges.ts';
import type { ActionStep, MarkStep } from './undo-steps.ts';

/** Runs the steps of an action one by one and records the steps that undo them. */
export class StepRunner {
  readonly #store: Store;
  readonly #mailbox: MailboxKey;
  /** The number of messages changed so far. */
  changed = 0;
  /** The steps that undo the action, in the order in which they must run. */
  undo: ActionStep[] = [];

  constructor(store: Store, mailbox: MailboxKey) {
    this.#store = store;
    this.#mailbox = mailbox;
  }

  /** Runs a step. Does nothing if the folder has been deleted. @throws AppError */
  async run(step: ActionStep): Promise<void> {
    const key = { ...this.#mailbox, folderId: step.folderId };
    if ('op' in step) await this.#mark(key, step);
    else await this.#move(key, step.ranges, step.toFolderId);
  }

  async #mark(key: FolderKey, { folderId, ranges, op, ...mark }: MarkStep): Promise<void> {
    const result = await this.#store.flag(key, ranges, {
      op,
      flags: 'flag' in mark ? mark.flag : 0,
      keywords: 'keyword' in mark ? [mark.keyword] : [],
    });
    if (result.outcome === 'folder-keywords' || result.outcome === 'message-keywords')
      throw new AppError(
        'bad-request',
        result.outcome === 'folder-keywords'
          ? 'The folder has reached its limit of keywords, which labels and mail apps set on messages. Delete a label first.'
          : 'A message has reached its limit of keywords, which labels and mail apps set on messages. Remove a label first.',
      );
    if (result.outcome !== 'flagged') return;
    const uids = result.messages
      .filter(({ modseq, modseqBefore }) => modseq !== modseqBefore)
      .map(({ uid }) => uid);
    if (uids.length === 0) return;
    this.changed += uids.length;
    const back = op === 'add' ? 'remove' : 'add';
    this.undo.unshift({ folderId, ranges: rangesOf(uids), op: back, ...mark });
  }

  async #move(key: FolderKey, ranges: readonly UidRange[], toFolderId: string): Promise<void> {
    const result = await this.#store.move(key, ranges, { id: toFolderId });
    if (result.outcome === 'no-folder') return;
    if (result.outcome !== 'filed')
      throw new AppError(
        'bad-request',
        result.outcome === 'no-target'
          ? 'The target folder no longer exists.'
          : 'The target folder has reached its limit of keywords, which mail apps set on messages.',
      );
    this.moved(key.folderId, { folderId: toFolderId, ranges: rangesOf(result.uids.map(({ to }) => to)) });
  }

  /** Records that messages of a folder are in another one now. @param now where they are now */
  moved(fromFolderId: string, now: { folderId: string; ranges: UidRange[] }): void {
    const count = countOf(now.ranges);
    if (count === 0) return;
    this.changed += count;
    if (fromFolderId !== now.folderId) this.undo.unshift({ ...now, toFolderId: fromFolderId });
  }

  /** Deletes messages permanently, so no undo step is recorded. */
  async delete(folderId: string, ranges: readonly UidRange[]): Promise<void> {
    const uids = await this.#store.expunge({ ...this.#mailbox, folderId }, { ranges, isDeletedOnly: false });
    this.changed += uids?.length ?? 0;
  }
}
