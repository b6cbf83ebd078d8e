/** Reports why a message that the owner has sent is still queued (docs/operate/provider.md). */
import type { MailWaiting } from '../../contract/mail/messages.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { IS_SANDBOX, kindOfRow } from '../../queue/provider-kind.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { findMessage } from './find-message.ts';

const WAITING = columnsOf({ isSandbox: 'bool', recipients: 'int4' });

/** @returns null if the message is in no folder of the mailbox */
export async function readWaiting(
  database: Database,
  mailbox: MailboxKey,
  objectId: string,
): Promise<MailWaiting | null> {
  const found = await findMessage(database, mailbox, objectId);
  if (found === null) return null;
  const { summary, authentication } = found;
  // Attack: a message from outside has the Message-ID of a sent message, so that the received message would be reported as queued.
  if (authentication !== null || summary.message_id === null) return { other_provider: null, recipients: 0 };
  const { projectId, mailboxId } = mailbox;
  // Mail that was accepted for the sandbox is not sent by a real provider, and the other way round.
  const { rows } = await WAITING.sql`
    select q.is_sandbox, count(*)::int as recipients
    from submissions s join queue q on q.project_id = s.project_id and q.email_id = s.id
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.message_id = ${summary.message_id}
      and s.kind = 'submitted' and q.is_sandbox <> ${IS_SANDBOX}
    group by q.is_sandbox`.execute(database);
  const [waiting] = rows;
  return { other_provider: kindOfRow(waiting?.isSandbox ?? null), recipients: waiting?.recipients ?? 0 };
}
