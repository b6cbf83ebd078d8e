/** Mail to postmaster and abuse that no mailbox receives, for operators. */
import type { Selectable } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { OperatorMail, OperatorMessage } from '../../contract/dashboard/operator-mail.ts';
import type { Database } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { countOperatorMail, OPERATOR_MAIL_LIMITS } from '../../receiving/operators/operator-mail.ts';
import type { MessageTextReader } from '../../store/facts/message-text-reader.ts';

const COLUMNS = [
  'id',
  'recipients',
  'reversePath',
  'clientAddress',
  'helo',
  'author',
  'subject',
  'octets',
] as const;

type StoredMessage = Pick<Selectable<Tables['operatorMail']>, (typeof COLUMNS)[number]>;

/** Lists all messages, newest first. There are at most 1,000. */
export async function listOperatorMail(database: Database): Promise<OperatorMail> {
  const rows = await database.selectFrom('operatorMail').select(COLUMNS).orderBy('id', 'desc').execute();
  return {
    ...(await countOperatorMail(database)),
    max_messages: OPERATOR_MAIL_LIMITS.messages,
    max_octets: OPERATOR_MAIL_LIMITS.octets,
    days: OPERATOR_MAIL_LIMITS.days,
    data: rows.map(summaryOf),
  };
}

/** @returns null if there is no such message */
export async function getOperatorMessage(
  database: Database,
  messageTexts: Pick<MessageTextReader, 'read'>,
  id: string,
): Promise<OperatorMessage | null> {
  const row = await database
    .selectFrom('operatorMail')
    .select([...COLUMNS, 'raw'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { header, text } = await messageTexts.read(row.raw);
  return { ...summaryOf(row), client_address: row.clientAddress, helo: row.helo, header, text };
}

/** The bytes of a message as received. @returns null if there is no such message */
export async function readRawOperatorMail(database: Database, id: string): Promise<Buffer | null> {
  const row = await database.selectFrom('operatorMail').select('raw').where('id', '=', id).executeTakeFirst();
  return row?.raw ?? null;
}

/** @returns whether the message existed */
export async function deleteOperatorMail(database: Database, id: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('operatorMail')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    const target = encodeId('opm', id);
    await recordChange(tx, { of: 'installation', action: 'operator-mail.delete', target });
    return true;
  });
}

function summaryOf({ id, recipients, reversePath, author, subject, octets }: StoredMessage) {
  return {
    id: encodeId('opm', id),
    received_at: timeOf(id).toISOString(),
    author,
    reverse_path: reversePath,
    recipients,
    subject,
    octets,
  };
}
