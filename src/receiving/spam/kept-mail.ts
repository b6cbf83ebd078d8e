/**
 * A background job that learns wanted mail from what was kept and read (docs/operate/spam.md, What is learned). Each hour it visits one 24th
 * of the mailboxes, so it visits each mailbox once a day. One process has the hour.
 */
import { sql } from 'kysely';
import { Blobs } from '../../blobs/blobs.ts';
import type { ObjectStore } from '../../blobs/object-store.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import { FLAG } from '../../store/flags.ts';
import { MAILBOX_KEY, type MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { LEAST_LESSONS } from './chi-square.ts';
import { readHead } from './lessons.ts';
import { junkScoreOf, type SpamVerdict, USUAL_JUNK_SCORE } from './verdict.ts';

/** The number of parts into which the mailboxes are divided. Each hour has one. */
const PARTS = 24;
/** The time that a message must stay in the Inbox, in hours. */
const KEPT_HOURS = 7 * 24;
/** The most lessons of a mailbox per day. Otherwise, mail of one kind, such as alerts, soon outnumbers all others. */
export const MOST_OF_MAILBOX = 20;
/** Lessons within this time count towards `MOST_OF_MAILBOX`. Less than a day, because the visits of two days may be less than a day apart. */
const COUNTED_MS = 20 * HOUR_MS;
/** The newest messages of the day that are considered in a mailbox, in all its folders. */
const MAX_CONSIDERED = 500;
const SLICE = 1_000;
/** The most messages, and octets of messages, that are read per hour. */
const HOURLY_LIMITS = { messages: 1_000, octets: 64 * 1_048_576 };

/** The row of `settings` with the hour that was begun last. */
const HOUR_BEGUN = 'kept_mail_hour';

const VISITED = columnsOf({ ...MAILBOX_KEY.kinds, isDue: 'bool' });

const KEPT = columnsOf({
  digest: 'bytea',
  authentication: shaped<Omit<Authentication, 'header'>>('json'),
  spam: shaped<SpamVerdict>('json'),
  author: 'text',
  replyTo: shaped<{ address: string }[] | null>('json?'),
  spamLevel: shaped<SpamLevel>('text'),
  hasLesson: 'bool',
  /** The lessons of the mailbox that count towards `MOST_OF_MAILBOX`. */
  learned: 'int4',
});

type KeptMessage = Pick<RowOf<typeof KEPT>, 'digest' | 'authentication' | 'replyTo'> & MailboxKey;

export class KeptMail {
  /** The hour in progress, in hours since 1970. */
  #hour: number | null = null;
  /** The last mailbox that was looked at. Null if all were. */
  #last: MailboxKey | null = null;
  #mailboxes: MailboxKey[] = [];
  #messages: KeptMessage[] = [];
  #left = { messages: 0, octets: 0 };
  readonly #limits: typeof HOURLY_LIMITS;
  readonly #slice: number;

  /** @param slice the number of mailboxes that one statement visits */
  constructor(limits = HOURLY_LIMITS, slice = SLICE) {
    this.#limits = limits;
    this.#slice = slice;
  }

  /**
   * Runs in only one process at a time. Ends at once if there is nothing to do in this hour. Mailboxes that are not reached within their hour
   * learn nothing from that day.
   * @param database a connection outside any transaction
   * @param hour in hours since 1970
   */
  async *learning(
    database: Database,
    objects: ObjectStore,
    hour: number = Math.floor(clock.nowMs() / HOUR_MS),
  ): AsyncGenerator<number, void, void> {
    if (hour !== this.#hour) {
      const isMine = await claimHour(database, hour);
      this.#hour = hour;
      this.#last = isMine ? { projectId: NIL_UUID, mailboxId: NIL_UUID } : null;
      this.#mailboxes = [];
      this.#messages = [];
      this.#left = { ...this.#limits };
    }
    while (this.#last !== null) {
      const { visited, due, last } = await findMailboxes(database, hour, this.#last, this.#slice);
      this.#mailboxes.push(...due);
      this.#last = last;
      if (last === null) this.#mailboxes = inTurn(this.#mailboxes);
      yield visited;
    }
    if (this.#mailboxes.length + this.#messages.length === 0) return;
    const blobs = new Blobs(database, objects);
    // Loaded on use, because it has the public suffix list, which most workers do not need.
    const { Learned } = await import('./learned.ts');
    const learned = new Learned(database);
    // Each entry is removed first, so that one that fails does not hold up all others.
    while (this.#left.messages > 0 && this.#left.octets > 0) {
      const message = this.#messages.shift();
      if (message === undefined) {
        const mailbox = this.#mailboxes.shift();
        if (mailbox === undefined) return;
        this.#messages = await findMessages(database, mailbox, hour);
        yield this.#messages.length;
        continue;
      }
      const { replyTo, ...stored } = message;
      const head = await readHead(blobs, message.projectId, message.digest);
      if (head !== null) {
        await learned.learnKept(
          { ...stored, head },
          (replyTo ?? []).map(({ address }) => address),
        );
        this.#left.octets -= head.length;
      }
      this.#left.messages -= 1;
      yield 1;
    }
    this.#mailboxes = [];
    this.#messages = [];
  }
}

/**
 * Whether this process has the hour. Otherwise each worker would begin it, because they run the job in turn, and the limits of an hour would
 * hold only for each of them. If the process ends, the rest of the hour is dropped. A process whose clock is
 * late does not begin the hour before again.
 */
async function claimHour(database: Database, hour: number): Promise<boolean> {
  const { rows } = await columnsOf({ name: 'text' }).sql`
    insert into settings (name, value) values (${HOUR_BEGUN}, ${String(hour)})
    on conflict (name) do update set value = excluded.value
    where settings.value::bigint not in (excluded.value::bigint, excluded.value::bigint + 1)
    returning name`.execute(database);
  return rows.length > 0;
}

/** The time in which a message must have arrived for this hour's visit. It lasts a day, so that no message is left out or counts twice. */
function arrivalsFor(hour: number): { since: Date; before: Date } {
  const before = hour - KEPT_HOURS;
  return { since: new Date((before - PARTS) * HOUR_MS), before: new Date(before * HOUR_MS) };
}

/**
 * Finds the mailboxes of this hour that received mail in the time in question, among the next `slice`. A mailbox with enough wanted mail for its
 * words to count, but without spam, learns no more until its user marks spam.
 * @returns last where to continue. Null if there are no more mailboxes
 */
async function findMailboxes(
  database: Database,
  hour: number,
  from: MailboxKey,
  slice: number,
): Promise<{ visited: number; due: MailboxKey[]; last: MailboxKey | null }> {
  const { since, before } = arrivalsFor(hour);
  const { rows } = await VISITED.sql`
    select b.project_id, b.id as mailbox_id,
      case when get_byte(uuid_send(b.id), 15) % ${sql.lit(PARTS)} <> ${hour % PARTS}::int then false
      else exists (
          select from messages m
          where m.project_id = b.project_id and m.mailbox_id = b.id and m.internal_date >= ${since} and m.internal_date < ${before})
        and not exists (
          select from mailbox_spam_training t
          where t.project_id = b.project_id and t.mailbox_id = b.id and t.junk = 0 and t.ham >= ${LEAST_LESSONS.ham})
      end as is_due
    from mailboxes b
    where (b.project_id, b.id) > (${from.projectId}::uuid, ${from.mailboxId}::uuid)
    order by b.project_id, b.id limit ${slice}`.execute(database);
  const keys = rows.map(({ isDue, ...key }) => ({ isDue, key }));
  return {
    visited: rows.length,
    due: keys.filter(({ isDue }) => isDue).map(({ key }) => key),
    last: rows.length < slice ? null : (keys.at(-1)?.key ?? null),
  };
}

/**
 * The mailboxes in an order in which each project has its turn after each mailbox of another, so that no project uses up the hour. The order is
 * random otherwise, so that no mailbox always comes last.
 */
function inTurn(mailboxes: readonly MailboxKey[]): MailboxKey[] {
  const mixed = mailboxes
    .map((mailbox) => ({ mailbox, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ mailbox }) => mailbox);
  const turns = new Map<string, number>();
  const placed = mixed.map((mailbox) => {
    const turn = turns.get(mailbox.projectId) ?? 0;
    turns.set(mailbox.projectId, turn + 1);
    return { mailbox, turn };
  });
  return placed.sort((a, b) => a.turn - b.turn).map(({ mailbox }) => mailbox);
}

/** The messages of a mailbox from which it may learn, at most one of each sender in a day. */
async function findMessages(database: Database, mailbox: MailboxKey, hour: number): Promise<KeptMessage[]> {
  const { projectId, mailboxId } = mailbox;
  const { since, before } = arrivalsFor(hour);
  const learnedAfter = new Date(clock.nowMs() - COUNTED_MS);
  const { rows } = await KEPT.sql`
    with recent as materialized (
      select m.project_id, m.folder_id, m.flags, m.object_id, m.internal_date from messages m
      where m.mailbox_id = ${mailboxId} and m.internal_date >= ${since} and m.internal_date < ${before}
      order by m.internal_date desc, m.object_id desc limit ${MAX_CONSIDERED})
    select c.digest, c.authentication, c.spam, coalesce(lower(c.addresses #>> '{from,0,address}'), '') as author,
      c.addresses -> 'replyTo' as reply_to, coalesce(b.spam_level, p.default_spam_level) as spam_level,
      exists (
        select from mailbox_spam_lessons l
        where l.project_id = ${projectId} and l.mailbox_id = ${mailboxId} and l.message = substring(c.digest for 16)) as has_lesson,
      (select count(*) from (
        select from mailbox_spam_lessons l
        where l.project_id = ${projectId} and l.mailbox_id = ${mailboxId} and l.kind = 'kept' and l.learned_at > ${learnedAfter}
        limit ${MOST_OF_MAILBOX}) k)::int as learned
    from recent m
    join folders f on f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = m.folder_id and f.role = 'inbox'
    join message_contents c on c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = m.object_id
    join mailboxes b on b.project_id = ${projectId} and b.id = ${mailboxId}
    join projects p on p.id = b.project_id
    where m.project_id = ${projectId} and m.flags & ${FLAG.seen | FLAG.deleted} = ${FLAG.seen}
      and c.authentication is not null and c.spam is not null
    order by m.internal_date desc, m.object_id desc`.execute(database);
  // Loaded on use, as in `learning`.
  const { ownerOf } = await import('./senders.ts');
  const taught = new Set(rows.filter(({ hasLesson }) => hasLesson).map(({ author }) => ownerOf(author)));
  const clean = rows.filter((row) => !taught.has(ownerOf(row.author)) && isClean(row));
  const ofSenders = [...new Map(clean.map((row) => [ownerOf(row.author), row])).values()];
  return ofSenders
    .slice(0, Math.max(0, MOST_OF_MAILBOX - (rows[0]?.learned ?? 0)))
    .map(({ digest, authentication, replyTo }) => ({ ...mailbox, digest, authentication, replyTo }));
}

/**
 * Whether little spoke against the message when it was received. What spoke for it does not count: a known sender does not make a message with
 * a dangerous link a good example.
 */
function isClean({ authentication, spam, spamLevel }: RowOf<typeof KEPT>): boolean {
  if (authentication.policy !== 'none' || authentication.dmarc.result === 'fail') return false;
  const against = spam.reasons.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  const junkScore = Math.min(junkScoreOf(spamLevel) ?? USUAL_JUNK_SCORE, USUAL_JUNK_SCORE);
  // rspamd's score includes symbols that are not listed.
  return Math.max(against, spam.score) < junkScore / 2;
}
