import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { DatabaseClient } from './database-client.ts';
import { describeSchema, differencesOf, type SchemaDescription } from './describe-schema.ts';

let db: TestDatabase;
let client: DatabaseClient;
let schema: SchemaDescription;
before(async () => {
  db = await testDatabase();
  client = new DatabaseClient({ connectionString: db.url });
  await client.connect();
  schema = await describeSchema(client);
});
after(async () => {
  await client.end();
  await db[Symbol.asyncDispose]();
});

async function differencesAfter(statement: string): Promise<string[]> {
  await client.query('begin');
  try {
    await client.query(statement);
    return differencesOf(await describeSchema(client), schema);
  } finally {
    await client.query('rollback');
  }
}

suite('a difference of the schema is reported', () => {
  for (const [statement, differences] of [
    ['drop index emails_status', ['index emails_status of emails is missing']],
    ['alter table queue drop column in_doubt', ['column queue.in_doubt is missing']],
    ['alter table queue alter column attempts drop not null', ['column queue.attempts is different']],
    ['alter table queue alter column attempts set default 1', ['column queue.attempts is different']],
    ['alter table queue alter column attempts type int', ['column queue.attempts is different']],
    ['alter table queue reset (fillfactor)', ['table queue is different']],
    ['alter table emails_last reset (fillfactor)', ['table emails_last is different']],
    [
      'alter table email_contents_last alter column html set statistics -1',
      ['column email_contents_last.html is different'],
    ],
    ['alter table blobs alter column bytes set storage extended', ['column blobs.bytes is different']],
    ['alter table processes set logged', ['table processes is different']],
    [
      'alter table domains drop constraint domains_status_check',
      ['constraint domains_status_check of domains is missing'],
    ],
    [
      `alter table domains drop constraint domains_status_check, add constraint domains_status_check check (status <> '') not valid`,
      ['constraint domains_status_check of domains is different'],
    ],
    ['alter table queue add column note text', ['column queue.note is unexpected']],
    [
      'alter table queue add check (attempts < 9)',
      ['constraint queue_attempts_check of queue is unexpected'],
    ],
    ['drop trigger messages_left on messages', ['trigger messages_left of messages is missing']],
    [
      'alter table messages disable trigger messages_left',
      ['trigger messages_left of messages is different'],
    ],
    [
      'create trigger again after delete on messages referencing old table as old_rows execute function conversations_left()',
      ['trigger again of messages is unexpected'],
    ],
    [
      'drop function forward_failed cascade',
      [
        'function forward_failed() is missing',
        'trigger submission_recipients_forward_failed of submission_recipients is missing',
      ],
    ],
    [
      'alter function conversations_left() reset enable_hashjoin',
      ['function conversations_left() is different'],
    ],
    ["alter type stream add value 'more'", ['type stream is different']],
    [
      'drop table storage_changes',
      [
        'column storage_changes.bytes is missing',
        'column storage_changes.id is missing',
        'column storage_changes.project_id is missing',
        'constraint storage_changes_pkey of storage_changes is missing',
        'index storage_changes_pkey of storage_changes is missing',
        'table storage_changes is missing',
      ],
    ],
  ] as const) {
    test(`after: ${statement}`, async () => {
      assert.deepEqual(await differencesAfter(statement), differences);
    });
  }
});

suite('no difference of the schema is reported', () => {
  for (const statement of [
    'create index emails_by_subject on emails (subject)',
    'create table reports (n int check (n > 0))',
    'create view sent as select id from emails',
    "create function one() returns int language sql as 'select 1'",
    "create type mood as enum ('good')",
    // The state while a partition is being closed (src/db/close-partition.ts).
    'alter table emails_last add constraint is_of_range check (id is not null) not valid',
    'alter table emails detach partition emails_first; drop table emails_first',
    'alter table mailboxes add column unread int; alter table mailboxes drop column unread',
    'alter schema public rename to elsewhere; set local search_path = elsewhere',
  ]) {
    test(`after: ${statement}`, async () => {
      assert.deepEqual(await differencesAfter(statement), []);
    });
  }
});
