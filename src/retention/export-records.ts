/** Exports a project's data other than emails, without secrets, passwords and keys. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { encodeId, type IdPrefix, NIL_UUID } from '../model/ids.ts';
import { listSafeSendersOfProject } from '../receiving/rules/sender-lists.ts';

const RECORD = columnsOf({ id: 'uuid', record: shaped<object>('json') });
const SUPPRESSION = columnsOf({ addressKey: 'text', record: shaped<object>('json') });

interface Kind {
  /** The file name without `.ndjson`. */
  file: string;
  table: string;
  prefix: IdPrefix;
  /** The column names, which are also used in the file. */
  columns: readonly string[];
  /** Selects the rows to export. Absent: all rows of the project. */
  only?: RawBuilder<boolean>;
}

export const RECORDS: readonly Kind[] = [
  {
    file: 'domains',
    table: 'domains',
    prefix: 'dom',
    columns: ['name', 'status', 'region', 'track_opens', 'track_clicks', 'created_at', 'verified_at'],
  },
  {
    file: 'mailboxes',
    table: 'mailboxes',
    prefix: 'mbx',
    columns: [
      'local_part',
      'domain',
      'display_name',
      'is_catch_all',
      'is_shared',
      'quota_mb',
      'daily_send_limit',
      'spam_level',
      'reply_to',
      'signature_html',
      'created_at',
    ],
  },
  {
    file: 'webhooks',
    table: 'webhooks',
    prefix: 'wh',
    columns: ['url', 'events', 'enabled', 'disabled_reason', 'created_at', 'updated_at'],
  },
  {
    file: 'templates',
    table: 'templates',
    prefix: 'tpl',
    columns: [
      'name',
      'subject',
      'html',
      'text',
      'variables',
      'layout_id',
      'source_html',
      'source_text',
      'created_at',
      'updated_at',
    ],
  },
  {
    file: 'template-pieces',
    table: 'template_pieces',
    prefix: 'pce',
    columns: ['kind', 'name', 'html', 'text', 'created_at', 'updated_at'],
  },
  {
    file: 'people',
    table: 'people',
    prefix: 'per',
    columns: ['name', 'email', 'title', 'organization', 'notes', 'created_at'],
  },
  { file: 'shares', table: 'shares', prefix: 'shr', columns: ['to_project_id', 'created_at'] },
  {
    file: 'submissions',
    table: 'submissions',
    prefix: 'sub',
    columns: ['kind', 'from_address', 'message_id', 'octets', 'recipients', 'created_at'],
  },
  {
    file: 'routes',
    table: 'routes',
    prefix: 'rt',
    columns: [
      'kind',
      'domain',
      'local_part',
      'mailbox_id',
      'tag',
      'format',
      'url',
      'created_at',
      'updated_at',
    ],
  },
  {
    file: 'route-messages',
    table: 'route_messages',
    prefix: 'rm',
    columns: [
      'route_id',
      'reverse_path',
      'recipients',
      'author',
      'subject',
      'octets',
      'status',
      'attempts',
      'last_attempt_at',
    ],
  },
  {
    file: 'file-links',
    table: 'file_links',
    prefix: 'lnk',
    columns: [
      'mailbox_id',
      'subject',
      'expires_at',
      'max_downloads',
      'downloads',
      'downloaded_octets',
      'revoked_at',
      'created_at',
    ],
  },
  {
    file: 'link-files',
    table: 'link_files',
    prefix: 'fil',
    columns: ['mailbox_id', 'link_id', 'name', 'type', 'octets', 'whole_at', 'gone_at', 'created_at'],
  },
  // Only shared views: the others belong to their users, and admins do not see them in the dashboard either.
  {
    file: 'email-views',
    table: 'email_views',
    prefix: 'vw',
    columns: ['name', 'q'],
    only: sql`user_id is null`,
  },
  {
    file: 'api-keys',
    table: 'api_keys',
    prefix: 'key',
    columns: [
      'name',
      'scopes',
      'from_domains',
      'recipients',
      'addresses',
      'expires_at',
      'last_used_at',
      'created_at',
      'revoked_at',
    ],
  },
  {
    file: 'rejected-requests',
    table: 'rejected_requests',
    prefix: 'rej',
    columns: [
      'key_id',
      'method',
      'path',
      'status',
      'problem',
      'detail',
      'errors',
      'body',
      'address',
      'user_agent',
      'request_id',
      'created_at',
    ],
  },
];

const PAGE = 500;

/** The records of one kind, in the order of their creation. */
export async function* recordsOf(
  database: Database,
  projectId: string,
  { table, prefix, columns, only = sql`true` }: Kind,
): AsyncGenerator<object> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await RECORD.sql`
      select id, (select to_json(r) from (select ${sql.join(columns.map((name) => sql.ref(name)))}) r) as record
      from ${sql.table(table)} where project_id = ${projectId} and id > ${after} and ${only} order by id limit ${PAGE}`.execute(
      database,
    );
    for (const { id, record } of rows) yield { id: encodeId(prefix, id), ...record };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const OF_MAILBOX = sql`project_id = m.project_id and mailbox_id = m.id`;

/** The filters of mailboxes (docs/rules.md): one record for each mailbox with filters. */
export function mailRulesOf(database: Database, projectId: string): AsyncGenerator<object> {
  const record = sql`json_build_object(
    'rules', (select coalesce(json_agg(json_build_object('name', name, 'is_enabled', is_enabled, 'is_any', is_any,
        'conditions', conditions, 'actions', actions) order by position), '[]')
      from mailbox_rules where ${OF_MAILBOX}),
    'blocks', (select coalesce(json_agg(sender order by sender), '[]') from mailbox_blocks where ${OF_MAILBOX}),
    'safe_senders', (select coalesce(json_agg(sender order by sender), '[]') from mailbox_safe_senders where ${OF_MAILBOX}),
    'vacation', (select json_build_object('subject', subject, 'text', text, 'html', html, 'starts_at', starts_at,
        'ends_at', ends_at, 'days', days)
      from mailbox_vacations where ${OF_MAILBOX}),
    'forward', (select json_build_object('to', target, 'keeps_copy', keeps_copy)
      from mailbox_forwards where ${OF_MAILBOX}))`;
  return ofMailboxes(database, projectId, record, sql`m.filing_version > 0`);
}

/**
 * The data of mailboxes in the web client other than mail: preferences, identities, canned responses, trusted and known addresses, and responses to invitations.
 * For an invitation only a digest of the event is stored.
 */
export function mailSettingsOf(database: Database, projectId: string): AsyncGenerator<object> {
  const record = sql`json_build_object(
    'reading', (select json_build_object('remote_content', remote_content, 'newest_first', newest_first,
        'swipe_left', swipe_left, 'swipe_right', swipe_right, 'undo_seconds', undo_seconds)
      from mailbox_preferences where ${OF_MAILBOX}),
    'identities', (select coalesce(json_agg(json_build_object('address', address, 'name', display_name, 'reply_to', reply_to,
        'signature_html', signature_html, 'bcc_self', bcc_self, 'is_default', is_default) order by id), '[]')
      from mailbox_identities where ${OF_MAILBOX}),
    'canned_responses', (select coalesce(json_agg(json_build_object('name', name, 'subject', subject, 'html', html)
        order by lower(name)), '[]')
      from canned_responses where ${OF_MAILBOX}),
    'trusted_senders', (select coalesce(json_agg(address order by address), '[]') from trusted_senders where ${OF_MAILBOX}),
    'learned_senders', (select coalesce(json_agg(json_build_object('sender', sender, 'standing', standing,
        'proven', is_proven, 'noted_at', noted_at) order by sender, is_proven), '[]')
      from mailbox_senders where ${OF_MAILBOX}),
    'written_to', (select coalesce(json_agg(json_build_object('address', address, 'name', name, 'times', uses,
        'last_at', written_at) order by address_key), '[]')
      from written_addresses where ${OF_MAILBOX} and written_at > 'epoch'),
    'received_from', (select coalesce(json_agg(json_build_object('address', address, 'name', name, 'times', received,
        'last_at', received_at) order by address_key), '[]')
      from written_addresses where ${OF_MAILBOX} and received > 0),
    'contacts', (select coalesce(json_agg(json_build_object('name', c.name, 'note', c.note, 'addresses', (
        select json_agg(a.address order by a.position) from contact_addresses a
        where a.project_id = c.project_id and a.mailbox_id = c.mailbox_id and a.contact_id = c.id)) order by c.id), '[]')
      from contacts c where ${OF_MAILBOX}),
    'labels', (select coalesce(json_agg(json_build_object('keyword', keyword, 'name', name, 'color', color) order by keyword), '[]')
      from mailbox_labels where ${OF_MAILBOX}),
    'snoozed', (select coalesce(json_agg(json_build_object('message', object_id, 'until', until, 'received_at', received_at,
        'woken_at', woken_at) order by until, object_id), '[]')
      from snoozed_messages where ${OF_MAILBOX}),
    'invitation_answers', (select coalesce(json_agg(json_build_object('event_sha256', encode(event, 'hex'), 'answer', answer,
        'answered_at', answered_at) order by answered_at), '[]')
      from invitation_answers where ${OF_MAILBOX}))`;
  return ofMailboxes(database, projectId, record, sql`true`);
}

/** The number of mailboxes per page. A mailbox may have many rows. */
const MAILBOXES = 50;

async function* ofMailboxes(
  database: Database,
  projectId: string,
  record: RawBuilder<unknown>,
  which: RawBuilder<unknown>,
): AsyncGenerator<object> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await RECORD.sql`
      select m.id, ${record} as record from mailboxes m
      where m.project_id = ${projectId} and m.id > ${after} and ${which} order by m.id limit ${MAILBOXES}`.execute(
      database,
    );
    for (const { id, record } of rows) yield { mailbox_id: encodeId('mbx', id), ...record };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** The safe senders of all mailboxes of the project. The list is short (`MAX_SENDERS`). */
export async function* safeSendersOf(database: Database, projectId: string): AsyncGenerator<object> {
  for (const { sender, createdAt } of await listSafeSendersOfProject(database, projectId))
    yield { sender, created_at: createdAt };
}

/** The suppression list, sorted by address. */
export async function* suppressionsOf(database: Database, projectId: string): AsyncGenerator<object> {
  for (let after = ''; ; ) {
    const { rows } = await SUPPRESSION.sql`
      select address_key, json_build_object('address', address, 'reason', reason, 'detail', detail,
        'created_at', created_at, 'expires_at', expires_at) as record
      from suppressions where project_id = ${projectId} and address_key > ${after}
      order by address_key limit ${PAGE}`.execute(database);
    for (const { record } of rows) yield record;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.addressKey;
  }
}
