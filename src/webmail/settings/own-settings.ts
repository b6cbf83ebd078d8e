/** A mailbox owner's preferences for reading and writing in the web client. */
import { sql } from 'kysely';
import { recordDifferences } from '../../accounts/audit.ts';
import type { ChangeMailSettings, MailSettings } from '../../contract/mail/settings.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

export interface OwnSettingsOptions {
  database: Database;
}

const AT_FIRST: MailSettings = {
  remote_content: 'ask',
  newest_first: false,
  swipe_left: 'trash',
  swipe_right: 'archive',
  undo_seconds: 10,
};

const ADDRESS = columnsOf({ address: 'text' });
const STORED = columnsOf({ kept: shaped<MailSettings>('json') });

export class OwnSettings {
  readonly #options: OwnSettingsOptions;

  constructor(options: OwnSettingsOptions) {
    this.#options = options;
  }

  /** @returns null if the mailbox has been deleted */
  async read({ projectId, mailboxId }: MailboxKey): Promise<MailSettings | null> {
    const row = await this.#options.database
      .selectFrom('mailboxes as m')
      .leftJoin('mailboxPreferences as p', (join) =>
        join.onRef('p.projectId', '=', 'm.projectId').onRef('p.mailboxId', '=', 'm.id'),
      )
      .select(['p.remoteContent', 'p.newestFirst', 'p.swipeLeft', 'p.swipeRight', 'p.undoSeconds'])
      .where('m.projectId', '=', projectId)
      .where('m.id', '=', mailboxId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      remote_content: row.remoteContent ?? AT_FIRST.remote_content,
      newest_first: row.newestFirst ?? AT_FIRST.newest_first,
      swipe_left: row.swipeLeft ?? AT_FIRST.swipe_left,
      swipe_right: row.swipeRight ?? AT_FIRST.swipe_right,
      undo_seconds: row.undoSeconds ?? AT_FIRST.undo_seconds,
    };
  }

  /** @returns null if the mailbox has been deleted */
  async change(mailbox: MailboxKey, changes: ChangeMailSettings): Promise<MailSettings | null> {
    if (Object.keys(changes).length > 0) await this.#prefer(mailbox, changes);
    return this.read(mailbox);
  }

  async #prefer({ projectId, mailboxId }: MailboxKey, changes: ChangeMailSettings): Promise<void> {
    await this.#options.database.transaction().execute(async (tx) => {
      const { rows: mailboxes } = await ADDRESS.sql`
        select local_part || '@' || domain as address from mailboxes
        where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(tx);
      const [found] = mailboxes;
      if (found === undefined) return;
      const { rows } = await STORED.sql`
        select json_build_object('remote_content', remote_content, 'newest_first', newest_first,
          'swipe_left', swipe_left, 'swipe_right', swipe_right,
          'undo_seconds', coalesce(undo_seconds, ${AT_FIRST.undo_seconds})) as kept
        from mailbox_preferences where project_id = ${projectId} and mailbox_id = ${mailboxId}`.execute(tx);
      const before = rows[0]?.kept ?? AT_FIRST;
      const after = { ...before, ...changes };
      await sql`
        insert into mailbox_preferences (project_id, mailbox_id, remote_content, newest_first, swipe_left, swipe_right, undo_seconds)
        values (${projectId}, ${mailboxId}, ${after.remote_content}, ${after.newest_first}, ${after.swipe_left}, ${after.swipe_right}, ${after.undo_seconds})
        on conflict (project_id, mailbox_id) do update set remote_content = excluded.remote_content,
          newest_first = excluded.newest_first, swipe_left = excluded.swipe_left, swipe_right = excluded.swipe_right,
          undo_seconds = excluded.undo_seconds`.execute(tx);
      await recordDifferences(
        tx,
        {
          of: { projectId },
          action: 'mailbox.update',
          target: encodeId('mbx', mailboxId),
          targetName: found.address,
        },
        before,
        after,
      );
    });
  }
}
