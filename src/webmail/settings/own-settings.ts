/** A mailbox owner's settings for reading and writing: fields of the mailbox, and preferences of the web client. */
import { sql } from 'kysely';
import { recordDifferences } from '../../accounts/audit.ts';
import type { ChangeMailSettings, MailSettings } from '../../contract/mail/settings.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Mailboxes } from '../../mailboxes/mailboxes.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

export interface OwnSettingsOptions {
  database: Database;
  mailboxes: Pick<Mailboxes, 'update'>;
}

type Preferences = Omit<MailSettings, 'display_name' | 'reply_to' | 'signature_html'>;

const AT_FIRST: Preferences = {
  remote_content: 'ask',
  newest_first: false,
  swipe_left: 'trash',
  swipe_right: 'archive',
};

const ADDRESS = columnsOf({ address: 'text' });
const STORED = columnsOf({ kept: shaped<Preferences>('json') });

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
      .select(['m.displayName', 'm.replyTo', 'm.signatureHtml'])
      .select(['p.remoteContent', 'p.newestFirst', 'p.swipeLeft', 'p.swipeRight'])
      .where('m.projectId', '=', projectId)
      .where('m.id', '=', mailboxId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      display_name: row.displayName,
      reply_to: row.replyTo,
      signature_html: row.signatureHtml,
      remote_content: row.remoteContent ?? AT_FIRST.remote_content,
      newest_first: row.newestFirst ?? AT_FIRST.newest_first,
      swipe_left: row.swipeLeft ?? AT_FIRST.swipe_left,
      swipe_right: row.swipeRight ?? AT_FIRST.swipe_right,
    };
  }

  /** @returns null if the mailbox has been deleted @throws AppError validation-failed; in this case nothing is changed */
  async change(mailbox: MailboxKey, changes: ChangeMailSettings): Promise<MailSettings | null> {
    const { display_name, signature_html, ...preferences } = changes;
    const { projectId, mailboxId } = mailbox;
    if (display_name !== undefined || signature_html !== undefined) {
      const named = {
        ...(display_name !== undefined && { display_name }),
        ...(signature_html !== undefined && { signature_html }),
      };
      if ((await this.#options.mailboxes.update(projectId, mailboxId, named)) === null) return null;
    }
    if (Object.keys(preferences).length > 0) await this.#prefer(mailbox, preferences);
    return this.read(mailbox);
  }

  async #prefer({ projectId, mailboxId }: MailboxKey, changes: Partial<Preferences>): Promise<void> {
    await this.#options.database.transaction().execute(async (tx) => {
      const { rows: mailboxes } = await ADDRESS.sql`
        select local_part || '@' || domain as address from mailboxes
        where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(tx);
      const [found] = mailboxes;
      if (found === undefined) return;
      const { rows } = await STORED.sql`
        select json_build_object('remote_content', remote_content, 'newest_first', newest_first,
          'swipe_left', swipe_left, 'swipe_right', swipe_right) as kept
        from mailbox_preferences where project_id = ${projectId} and mailbox_id = ${mailboxId}`.execute(tx);
      const before = rows[0]?.kept ?? AT_FIRST;
      const after = { ...before, ...changes };
      await sql`
        insert into mailbox_preferences (project_id, mailbox_id, remote_content, newest_first, swipe_left, swipe_right)
        values (${projectId}, ${mailboxId}, ${after.remote_content}, ${after.newest_first}, ${after.swipe_left}, ${after.swipe_right})
        on conflict (project_id, mailbox_id) do update set remote_content = excluded.remote_content,
          newest_first = excluded.newest_first, swipe_left = excluded.swipe_left, swipe_right = excluded.swipe_right`.execute(
        tx,
      );
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
