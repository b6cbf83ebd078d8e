/**
 * Measures how long it takes to find words in a large mailbox, what the index costs, and how long it takes to parse a message for the
 * index.
 */
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { startEmbedded } from '../../src/installation/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { firstUuidAt, newUuid } from '../../src/model/ids.ts';
import { readMessageFacts } from '../../src/store/facts/message-facts.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { findText } from '../../src/store/search/find-text.ts';
import { normalForm } from '../../src/store/search/normal-form.ts';
import { ID_OCTETS } from '../../src/store/search/object-ids.ts';
import { indexNext } from '../../src/store/search/index-mailbox.ts';
import { newMailbox } from '../../test/support/mail.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import type { Goal, Row } from '../support/table.ts';
import { Words } from '../support/words.ts';

const MESSAGES = 100_000;
const SLICE = 500;
const FACTS_OCTETS = 4_096;
const FACTS_TIMES = 2_000;
const AT_MOST_300_MS: Goal = { on: 'value', sense: 'at most', limit: 300 };
/** Words of different rarity. Each occurs in one of every `each` messages. */
const MARKS: readonly [mark: string, each: number][] = [
  ['xylophonist', 20_000],
  ['invoicing', 100],
];

export async function search(context: Context): Promise<Row[]> {
  const messages = context.quick ? 10_000 : MESSAGES;
  const words = new Words();
  const runs = new Runs();
  for (const _ of rounds(context)) runs.add('facts', factsMicroseconds(words));
  const server = await startEmbedded(join(context.folder, 'postgres'));
  await migrate(server.url);
  const database = openDatabase(server.url);
  try {
    const mailbox = await newMailbox(database);
    await fill(database, mailbox, words, messages);
    context.log(`filled with ${messages} messages`);
    const before = newUuid();
    const from = performance.now();
    while (await indexNext(database, mailbox, before));
    runs.add('indexing', ((performance.now() - from) / messages) * 1_000);
    const needles: Readonly<Record<string, string>> = {
      'a rare word': 'xylophonist',
      'a word in one of 100 messages': 'invoicing',
      'a part of a word': words.ofRank(500).slice(1, 4),
      'the most common word': words.ofRank(0),
      'two characters': 'qu',
      'two words': 'invoicing and',
      'no message': 'zzzzzzzz',
    };
    const found = new Map<string, number>();
    for (const _ of rounds(context)) {
      for (const [name, needle] of Object.entries(needles)) {
        const begin = performance.now();
        const { ids } = await findText(database, mailbox, {
          part: 'body',
          needle: normalForm(needle),
          also: null,
        });
        runs.add(name, performance.now() - begin);
        found.set(name, ids.length / ID_OCTETS);
      }
    }
    return [
      { measure: 'parsing a message of 4 kB', unit: 'µs', runs: runs.of('facts') },
      { measure: 'indexing per message', unit: 'µs', runs: runs.of('indexing'), note: await sizes(database) },
      ...Object.keys(needles).map((name): Row => {
        const measure = `search in ${messages.toLocaleString('en')} messages: ${name}`;
        return {
          measure,
          unit: 'ms',
          runs: runs.of(name),
          goal: AT_MOST_300_MS,
          note: `${found.get(name)} found`,
        };
      }),
    ];
  } finally {
    await database.destroy();
    await server.stop('immediate');
  }
}

function factsMicroseconds(words: Words): number {
  const head =
    'From: Anna <anna@example.test>\r\nTo: Ben <ben@example.test>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n' +
    'Date: Sun, 22 Nov 2026 10:00:00 +0100\r\nMessage-ID: <1@example.test>\r\nMIME-Version: 1.0\r\n' +
    'Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n';
  const text = words.text((FACTS_OCTETS - head.length) / 2 - 100);
  const html = `<html><body><p>${text.replaceAll(', ', '</p><p>')}</p></body></html>`;
  const raw = Buffer.from(
    `${head}${text}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n--b--\r\n`,
  );
  for (let warm = 0; warm < FACTS_TIMES / 4; warm++) readMessageFacts(raw);
  const from = performance.now();
  for (let time = 0; time < FACTS_TIMES; time++) readMessageFacts(raw);
  return ((performance.now() - from) / FACTS_TIMES) * 1_000;
}

/** Inserts messages in which only the columns that search reads have values. */
async function fill(database: Database, mailbox: MailboxKey, words: Words, messages: number): Promise<void> {
  const monthAgo = Date.now() - 30 * 86_400_000;
  for (let first = 0; first < messages; first += SLICE) {
    const numbers = Array.from({ length: SLICE }, (_, at) => first + at);
    const texts = numbers.map((n) => {
      const marks = MARKS.filter(([, each]) => n % each === 7).map(([mark]) => mark);
      return `head\n\n${[words.text(words.length()), ...marks, 'and so on'].join(' ')}`;
    });
    const ids = numbers.map((n) => firstUuidAt(new Date(monthAgo + n)));
    await sql`
      insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject,
        addresses, preview, attachments, envelope, body_structure, text)
      select ${mailbox.projectId}, ${mailbox.mailboxId}, id, '', 1, id, '', '', '[]', '', 0, '', '', text
      from unnest(${ids}::uuid[], ${texts}::text[]) as t (id, text)`.execute(database);
  }
  await sql`vacuum analyze message_contents`.execute(database);
}

async function sizes(database: Database): Promise<string> {
  const { rows } = await sql<{ index: number; texts: number }>`
    select (pg_total_relation_size('search_segments') / count(*))::int as index,
      (pg_total_relation_size('message_contents') / count(*))::int as texts from message_contents`.execute(
    database,
  );
  return `${rows[0]?.index} B of index beside ${rows[0]?.texts} B of text for each`;
}
