/**
 * What mailboxes have learned about spam (docs/operate/spam.md, What is learned). A lesson counts at once for the mailbox that taught it, and
 * for the other mailboxes of the project when three mailboxes agree.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { byteaArray, int4Array, uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { organizationAt } from '../../domains/domain-name.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { LEAST_LESSONS, spamProbability, type TokenCounts } from './chi-square.ts';
import {
  domainFeaturesOf,
  LEAST_BEST,
  LEAST_SHARED,
  MAX_FEATURES,
  MOST_COMMON,
  type Overlap,
  resemblance,
} from './features.ts';
import { servesAuthor } from './own-domains.ts';
import { readContent } from './mail.ts';
import { readsLikeSpam } from './rules.ts';
import { readSample, type Sample, sampleOf, type SpamFindings } from './score.ts';
import {
  checkSenders,
  type CheckedSenders,
  noteRecipients,
  noteSenders,
  reasonsForSenders,
} from './senders.ts';
import type { SpamReason } from './verdict.ts';

/** How a user classified a message. */
export type SpamKind = 'junk' | 'ham';
/** `kept`: no one classified the message, but it was read and stayed in the Inbox. Only its words count, as those of wanted mail. */
type LessonKind = SpamKind | 'kept';

export interface LearnedMessage extends MailboxKey {
  /** SHA-256 of the stored message. */
  digest: Buffer;
  /** The beginning of the message, with at least all of its text. */
  head: Buffer;
  /** The results when the message was received. Null if it was not received, but stored by a mail app. */
  authentication: Pick<Authentication, 'dmarc' | 'spf' | 'dkim'> | null;
}

interface Lesson extends MailboxKey {
  message: Buffer;
  kind: LessonKind;
  senders: CheckedSenders;
  tokens: readonly number[];
  features: readonly number[];
  /** The feature of the author's domain, if it counts. */
  domains: readonly number[];
}

/** The parts of a message that are compared with lessons. */
export interface ComparedMessage extends Pick<SpamFindings, 'tokens' | 'features' | 'readsWanted'> {
  /** `domainFeaturesOf` the message. */
  domains: readonly number[];
}

/**
 * How many lessons a project must have before their words count for all its mailboxes. It counts only the first `LEAST_LESSONS` of each
 * mailbox. So at least three mailboxes taught them, and no mailbox decides for the others.
 */
const LEAST_OF_PROJECT = { junk: LEAST_LESSONS.junk * 3, ham: LEAST_LESSONS.ham * 3 };
/** How many mailboxes must have learned that a message is spam before it counts for the other mailboxes of the project. */
export const LEAST_MAILBOXES = 3;
/** The maximum number of remembered lessons of a mailbox. A forgotten message counts twice if a user moves it again. */
const MAX_REMEMBERED = 2_000;
/** The number of lessons of each kind with which a message is compared. */
const MAX_COMPARED = 200;
/** The number of forgotten lessons per deletion, so that not every lesson deletes. */
const FORGOTTEN_AT_ONCE = 50;
/** How many messages of a domain a mailbox must have moved into Junk before the domain counts. One may be a mistake. */
export const LEAST_OF_DOMAIN = 2;
/**
 * The maximum numbers of mailboxes that are read for a feature, and of lessons of each. Attack: one busy mailbox whose lessons displace those
 * of all others, or a tenant with many equal lessons, for which every message to that tenant would wait.
 */
const MAX_MAILBOXES_PER_FEATURE = 10;
const MAX_LESSONS_PER_MAILBOX = 5;
/** The maximum number of lessons that wait for their commit. Further lessons are dropped. */
const MAX_PENDING = 2_000;

/**
 * The reason for each range of the spam probability. Only the first step whose condition holds applies. Infinity stands for the Junk
 * threshold of the mailbox: the reason decides alone, unless the mailbox knows the sender.
 */
const STEPS: readonly [holds: (probability: number) => boolean, reason: SpamReason][] = [
  [(probability) => probability >= 0.99, { rule: 'LEARNED_99', weight: Infinity }],
  [(probability) => probability >= 0.95, { rule: 'LEARNED_95', weight: 3.5 }],
  [(probability) => probability >= 0.8, { rule: 'LEARNED_80', weight: 2 }],
  [(probability) => probability <= 0.05, { rule: 'LEARNED_05', weight: -2.5 }],
  [(probability) => probability <= 0.2, { rule: 'LEARNED_20', weight: -1 }],
];
/** The highest weight of words that do not decide alone. */
const MOST_OF_WORDS = 3.5;
/**
 * It also cancels the trained classifier (`verdict.ts`). It does not weigh more, because phishing copies wanted mail, and other rules find it.
 */
const VARIANT_OF_WANTED: SpamReason = { rule: 'LEARNED_WANTED', weight: -2.5 };
const VARIANT: SpamReason = { rule: 'LEARNED_VARIANT', weight: Infinity };
/** Some wanted mail is similar too, so this decides only together with the trained classifier (`LIKE_SPAM`; `verdict.ts`). */
const SIMILAR: SpamReason = { rule: 'LEARNED_SIMILAR', weight: 3.5 };
/** The same: the marked messages may be newsletters of a shop that also sends receipts. */
const DOMAIN: SpamReason = { rule: 'LEARNED_DOMAIN', weight: 3.5 };
const VARIANT_OF_OTHERS: SpamReason = { rule: 'LEARNED_VARIANT_3', weight: Infinity };

type Counts = [junk: number, ham: number][] | null;

const LEARNED = columnsOf({
  junk: 'int4',
  ham: 'int4',
  tokens: shaped<Counts>('json?'),
  others: shaped<Overlap[] | null>('json?'),
  mailboxes: shaped<(LessonsInCommon & { mailboxId: string })[] | null>('json?'),
});

/** What the lessons of a mailbox have in common with a message. */
export interface LessonsInCommon {
  junk: number;
  ham: number;
  tokens: Counts;
  overlaps: ({ kind: SpamKind } & Overlap)[] | null;
  /** Whether the mailbox moved several messages of the author's domain into Junk, and treated none as wanted. */
  isDomainMarked: boolean;
}

/**
 * What the lessons of a project have in common with a message. `others` are the junk lessons of those `LEAST_MAILBOXES` mailboxes that have the
 * most in common with it.
 */
export type OfProject = Omit<RowOf<typeof LEARNED>, 'mailboxes'>;

export class Learned {
  readonly #database: Database;
  readonly #lessons: GroupCommit<Lesson, void>;

  constructor(database: Database) {
    this.#database = database;
    this.#lessons = new GroupCommit({
      flush: (lessons) => this.#learn(lessons),
      flights: 1,
      maxItems: 20,
    });
  }

  /**
   * For each of these mailboxes of a project, the reasons that follow from its lessons and from those of the project. One statement, so that
   * all parts are of the same moment, and a message to many mailboxes waits for one round trip. Nothing is looked up for a project or a
   * mailbox without lessons.
   */
  async reasonsFor(
    projectId: string,
    mailboxIds: readonly string[],
    { tokens, features, domains, readsWanted }: ComparedMessage,
  ): Promise<ReadonlyMap<string, readonly SpamReason[]>> {
    const isToken = sql`token = any(${int4Array(tokens)}::int4[])`;
    const ofDomain = (kind: SpamKind, count: number) => sql`(
      select count(*) from (
        select from spam_features s where s.project_id = ${projectId} and s.mailbox_id = own.mailbox_id and s.kind = ${kind}
          and s.feature = any(${int4Array(domains)}::int4[]) limit ${count}) d) = ${count}`;
    // Every lesson of a mailbox creates the row of its project first, so without that row there are no lessons at all. Of the lessons with a
    // feature, only as many are read as decide whether it is common; they are the same for all features, because they are in the order of
    // their digests. The mailboxes with a feature are found one after another, however many lessons each has.
    const { rows } = await LEARNED.sql`
      with recursive own as materialized (
        select mailbox_id, junk, ham from mailbox_spam_training
        where project_id = ${projectId} and mailbox_id = any(${uuidArray(mailboxIds)}::uuid[])),
      given as materialized (
        select f.feature, set_bit(repeat('0', ${MAX_FEATURES}::int)::bit(${sql.lit(MAX_FEATURES)}), (f.place - 1)::int, 1) as bit
        from unnest(${int4Array(features)}::int4[]) with ordinality f (feature, place)),
      lessons as (
        select n.mailbox_id, n.kind, l.message, count(*) as shared,
          count(*) filter (where cardinality(n.messages) <= ${MOST_COMMON}) as telling,
          bit_or(n.bit) as bits
        from (
          select own.mailbox_id, k.kind, given.bit, array(
            select s.message from spam_features s
            where s.project_id = ${projectId} and s.mailbox_id = own.mailbox_id and s.kind = k.kind and s.feature = given.feature
            order by s.message limit ${MOST_COMMON + 1}) as messages
          from own cross join (values ('junk'), ('ham')) k (kind) cross join given offset 0) n
        cross join unnest(n.messages) l (message)
        group by n.mailbox_id, n.kind, l.message),
      in_common as materialized (
        select mailbox_id, kind, max(shared) as best, max(telling) as telling, bit_count(bit_or(bits)) as touched,
          coalesce(bit_count(bit_or(bits) filter (where shared >= ${LEAST_SHARED})), 0) as covered
        from lessons group by mailbox_id, kind),
      holders as (
        select given.feature, given.bit, 1 as place, (
          select s.mailbox_id from spam_features s
          where s.project_id = ${projectId} and s.feature = given.feature and s.kind = 'junk' order by s.mailbox_id limit 1) as mailbox_id
        from given
        union all
        select h.feature, h.bit, h.place + 1, (
          select s.mailbox_id from spam_features s
          where s.project_id = ${projectId} and s.feature = h.feature and s.kind = 'junk' and s.mailbox_id > h.mailbox_id
          order by s.mailbox_id limit 1)
        from holders h where h.mailbox_id is not null and h.place < ${MAX_MAILBOXES_PER_FEATURE}),
      others as (
        select max(shared) as best, 0 as telling, bit_count(bit_or(bits)) as touched,
          coalesce(bit_count(bit_or(bits) filter (where shared >= ${LEAST_SHARED})), 0) as covered
        from (
          select h.mailbox_id, count(*) as shared, bit_or(h.bit) as bits
          from holders h cross join lateral (
            select s.message from spam_features s
            where s.project_id = ${projectId} and s.feature = h.feature and s.kind = 'junk' and s.mailbox_id = h.mailbox_id
            order by s.message limit ${MAX_LESSONS_PER_MAILBOX}) l
          group by h.mailbox_id, l.message) n
        group by mailbox_id having max(shared) >= ${LEAST_BEST}::float8 * ${features.length}
        order by covered desc limit ${LEAST_MAILBOXES})
      select project.junk, project.ham,
        case when project.junk >= ${LEAST_OF_PROJECT.junk} and project.ham >= ${LEAST_OF_PROJECT.ham} then (
          select json_agg(json_build_array(case when junk_mailboxes >= ${LEAST_MAILBOXES} then junk else 0 end, ham))
          from spam_tokens where project_id = ${projectId} and ${isToken}) end as tokens,
        (select json_agg(others) from others) as others,
        (select json_agg(json_build_object('mailboxId', own.mailbox_id, 'junk', own.junk, 'ham', own.ham,
          'tokens', case when own.junk >= ${LEAST_LESSONS.junk} and own.ham >= ${LEAST_LESSONS.ham} then (
            select json_agg(json_build_array(t.junk, t.ham)) from mailbox_spam_tokens t
            where t.project_id = ${projectId} and t.mailbox_id = own.mailbox_id and ${isToken}) end,
          'overlaps', (select json_agg(o) from in_common o where o.mailbox_id = own.mailbox_id),
          'isDomainMarked', ${ofDomain('junk', LEAST_OF_DOMAIN)} and not ${ofDomain('ham', 1)}))
          from own) as mailboxes
      from spam_training project where project.project_id = ${projectId}`.execute(this.#database);
    const [project] = rows;
    if (project === undefined) return new Map();
    const owns = new Map(project.mailboxes?.map((own) => [own.mailboxId, own]));
    return new Map(
      mailboxIds.map((id) => [
        id,
        reasonsOf(owns.get(id) ?? NO_LESSONS, project, { total: features.length, readsWanted }),
      ]),
    );
  }

  /** For each of these mailboxes of a project, the reason that follows from what it and the project know about the senders of a message. */
  reasonsForSenders(
    projectId: string,
    mailboxIds: readonly string[],
    senders: CheckedSenders,
  ): Promise<ReadonlyMap<string, SpamReason>> {
    return reasonsForSenders(this.#database, { projectId, mailboxIds }, senders);
  }

  /** Records that the owner of the mailbox wrote to these addresses. */
  knowSenders(mailbox: MailboxKey, addresses: readonly string[]): Promise<void> {
    return noteRecipients(this.#database, mailbox, addresses);
  }

  /**
   * Records that a user treated a message as spam (`junk`) or as wanted (`ham`). A message counts once, by its last classification. Lessons
   * are committed in groups, after the user's action. A lesson is lost if the database is unavailable or too many lessons are waiting.
   */
  async train(message: LearnedMessage, kind: SpamKind): Promise<void> {
    await this.#lessons.tryAdd(lessonOf(message, kind, readSample(message.head)), MAX_PENDING);
  }

  /**
   * Learns the words of a message that was kept and read, but that no one classified. It teaches nothing if it reads like spam, if its author
   * is unproven or at a domain of this installation, if replies go to someone else, or if the mailbox has learned anything that speaks against
   * the message.
   * @param replyTo the addresses in Reply-To
   */
  async learnKept(message: LearnedMessage, replyTo: readonly string[]): Promise<void> {
    const content = readContent(message.head);
    // The stored verdict does not tell, because earlier lessons cancel the classifier. Then each lesson would let the next one in.
    if (readsLikeSpam(content)) return;
    const lesson = lessonOf(message, 'kept', sampleOf(content));
    const { projectId, mailboxId, senders } = lesson;
    const [author] = senders.proven;
    if (author === undefined || author.startsWith('list:') || (await servesAuthor(this.#database, author)))
      return;
    // The web client warns about such a message.
    if (replyTo.some((address) => organizationAt(address) !== organizationAt(author))) return;
    const reasons = await this.reasonsFor(projectId, [mailboxId], { ...lesson, readsWanted: false });
    if (reasons.get(mailboxId)?.some(({ weight }) => weight > 0)) return;
    await this.#database.transaction().execute((tx) => learn(tx, lesson));
  }

  async #learn(lessons: readonly Lesson[]): Promise<void[]> {
    // Lessons are sorted by project. Each lesson locks the row of its project, so the common order prevents deadlocks between processes.
    const inOrder = lessons.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1));
    await this.#database.transaction().execute(async (tx) => {
      for (const lesson of inOrder) await learn(tx, lesson);
    });
    return lessons.map(() => undefined);
  }
}

function lessonOf(
  { projectId, mailboxId, digest, authentication }: LearnedMessage,
  kind: LessonKind,
  { tokens, features, ...named }: Sample,
): Lesson {
  const senders = authentication === null ? { proven: [], claimed: [] } : checkSenders(named, authentication);
  return {
    projectId,
    mailboxId,
    message: digest.subarray(0, 16),
    kind,
    senders,
    tokens,
    features,
    domains: domainFeaturesOf(named, senders),
  };
}

const NO_LESSONS: LessonsInCommon = { junk: 0, ham: 0, tokens: null, overlaps: null, isDomainMarked: false };
const NO_OVERLAP: Overlap = { best: 0, telling: 0, covered: 0, touched: 0 };

/** A message that is compared with lessons. */
interface Compared extends Pick<SpamFindings, 'readsWanted'> {
  /** The number of features of its text. */
  total: number;
}

export function reasonsOf(
  own: LessonsInCommon,
  project: OfProject,
  { total, readsWanted }: Compared,
): SpamReason[] {
  const variant = variantOf(own, project, total);
  // Mail of one domain is similar anyway, so this would count one fact twice.
  const domain = own.isDomainMarked && !variant.includes(SIMILAR) ? [DOMAIN] : [];
  const words = ofWords(own, project, readsWanted);
  // A message that reads like wanted mail needs more than one fact, and similar mail has the same words.
  const isOneFact = readsWanted && words.some(({ weight }) => weight > 0) && variant[0] !== VARIANT;
  const reasons = [
    ...(isOneFact ? variant.filter((each) => each !== SIMILAR) : [...variant, ...domain]),
    ...words,
  ];
  // Several reasons that decide alone would not make the decision firmer.
  const alone = reasons.find(({ weight }) => weight === Infinity);
  return alone === undefined ? reasons : [alone];
}

/**
 * Whether the message is a variant of one that the mailbox, or three mailboxes of the project, moved into Junk, or is similar to it; or a
 * variant of a wanted message of the mailbox.
 */
function variantOf({ overlaps }: LessonsInCommon, { others }: OfProject, total: number): SpamReason[] {
  const of = (given: SpamKind) => overlaps?.find(({ kind }) => kind === given) ?? NO_OVERLAP;
  const [spam, wanted] = [of('junk'), of('ham')];
  const own = resemblance(total, spam, wanted);
  if (own === 'variant') return [VARIANT];
  const agreeing = (others ?? []).filter((other) => resemblance(total, other, wanted) === 'variant');
  if (agreeing.length >= LEAST_MAILBOXES) return [VARIANT_OF_OTHERS];
  if (own === 'similar') return [SIMILAR];
  return resemblance(total, wanted, spam) === 'variant' ? [VARIANT_OF_WANTED] : [];
}

/**
 * The lessons of the mailbox itself decide. Those of the project can only point towards Junk, because tastes differ.
 * @param readsWanted whether the trained classifier disagrees, so that words alone do not decide. The words of a language are a sign of spam
 * for a mailbox whose few lessons in that language are spam
 */
function ofWords(mailbox: LessonsInCommon, project: OfProject, readsWanted: boolean): SpamReason[] {
  const own = probabilityOf(mailbox, LEAST_LESSONS);
  if (own !== null) return stepFor(own).map((reason) => (readsWanted ? notAlone(reason) : reason));
  const common = probabilityOf(project, LEAST_OF_PROJECT);
  if (common === null || common < 0.5) return [];
  return stepFor(common).map(notAlone);
}

function notAlone({ rule, weight }: SpamReason): SpamReason {
  return { rule, weight: Math.min(weight, MOST_OF_WORDS) };
}

function probabilityOf(
  { junk, ham, tokens }: TokenCounts & { tokens: Counts },
  least: TokenCounts,
): number | null {
  if (junk < least.junk || ham < least.ham) return null;
  const counts = (tokens ?? []).map(([inJunk, inHam]) => ({ junk: inJunk, ham: inHam }));
  return spamProbability(counts, { junk, ham });
}

function stepFor(probability: number): SpamReason[] {
  return STEPS.filter(([holds]) => holds(probability))
    .map(([, reason]) => reason)
    .slice(0, 1);
}

/** The lessons of a mailbox. `ham` includes `kept`. */
const TOTALS = columnsOf({ junk: 'int4', ham: 'int4', kept: 'int4' });

async function learn(tx: Database, lesson: Lesson): Promise<void> {
  const { projectId, mailboxId, message, kind } = lesson;
  await sql`
    insert into spam_training (project_id) values (${projectId})
    on conflict (project_id) do update set junk = spam_training.junk`.execute(tx);
  const { rows } = await TOTALS.sql`
    insert into mailbox_spam_training (project_id, mailbox_id)
    select project_id, id from mailboxes where project_id = ${projectId} and id = ${mailboxId} for share
    on conflict (project_id, mailbox_id) do update set junk = mailbox_spam_training.junk
    returning junk, ham, kept`.execute(tx);
  const [totals] = rows;
  // The mailbox was deleted in the meantime.
  if (totals === undefined) return;
  if (kind !== 'kept') await noteSenders(tx, lesson, lesson.senders, kind === 'junk' ? 'spam' : 'known');
  const before = await tx
    .selectFrom('mailboxSpamLessons')
    .select('kind')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('message', '=', message)
    .executeTakeFirst();
  if (before?.kind === kind) return;
  // What users do counts more than what they leave alone. The lock on the row of the mailbox keeps both from being learned at once.
  if (kind === 'kept' && (before !== undefined || (await isSenderMarked(tx, lesson)))) return;
  const learnedAt = clock.now();
  await tx
    .insertInto('mailboxSpamLessons')
    .values({ projectId, mailboxId, message, kind, learnedAt })
    .onConflict((on) => on.columns(['projectId', 'mailboxId', 'message']).doUpdateSet({ kind, learnedAt }))
    .execute();
  await countTokens(tx, lesson, totals, before?.kind ?? null);
  if (kind === 'kept') {
    await forgetOldest(tx, lesson);
    return;
  }
  const features = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  if (before !== undefined)
    await sql`delete from spam_features where ${features} and kind = ${before.kind} and message = ${message}`.execute(
      tx,
    );
  const [author = ''] = lesson.senders.proven;
  const isServedHere = lesson.domains.length > 0 && (await servesAuthor(tx, author));
  const domains = isServedHere ? [] : lesson.domains;
  // Wanted mail shows that the domain is not only a spammer's, even after the lesson about it is forgotten.
  if (kind === 'ham' && domains.length > 0)
    await sql`
      delete from spam_features where ${features} and kind = 'junk' and feature = any(${int4Array(domains)}::int4[])`.execute(
      tx,
    );
  await sql`
    insert into spam_features (project_id, mailbox_id, kind, feature, message)
    select ${projectId}, ${mailboxId}, ${kind}, feature, ${message}
    from unnest(${int4Array([...lesson.features, ...domains])}::int4[]) as k (feature)
    on conflict do nothing`.execute(tx);
  await forgetOldest(tx, lesson);
}

/**
 * Adds the tokens to the counts of the mailbox and of the project, and takes back the former classification. The project counts only the
 * first lessons that the mailbox's user taught. What was kept could not be taken back from colleagues later, if it was spam.
 * @param totals the lessons of the mailbox so far
 */
async function countTokens(
  tx: Database,
  { projectId, mailboxId, kind, tokens }: Lesson,
  totals: RowOf<typeof TOTALS>,
  before: LessonKind | null,
): Promise<void> {
  const change = (of: LessonKind) => (of === kind ? 1 : of === before ? -1 : 0);
  const kept = change('kept');
  const [junk, ham] = [change('junk'), change('ham') + kept];
  const taught = { junk: totals.junk, ham: totals.ham - totals.kept };
  const common = (of: SpamKind) =>
    Math.min(LEAST_LESSONS[of], taught[of] + change(of)) - Math.min(LEAST_LESSONS[of], taught[of]);
  const [commonJunk, commonHam] = [common('junk'), common('ham')];
  await sql`
    with own as (
      update mailbox_spam_training
      set junk = greatest(0, junk + ${junk}), ham = greatest(0, ham + ${ham}), kept = greatest(0, kept + ${kept})
      where project_id = ${projectId} and mailbox_id = ${mailboxId})
    update spam_training set junk = greatest(0, junk + ${commonJunk}), ham = greatest(0, ham + ${commonHam})
    where project_id = ${projectId}`.execute(tx);
  const isForProject = junk !== 0 || commonJunk !== 0 || commonHam !== 0;
  // The first junk message of a mailbox with a token adds the mailbox to the count of mailboxes, and taking back the only one removes it.
  await sql`
    with given as (select token from unnest(${int4Array(tokens)}::int4[]) as k (token)),
    earlier as (
      select token, junk from mailbox_spam_tokens
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and token in (select token from given)),
    own as (
      insert into mailbox_spam_tokens (project_id, mailbox_id, token, junk, ham)
      select ${projectId}, ${mailboxId}, token, greatest(0, ${junk}::int), greatest(0, ${ham}::int) from given order by token
      on conflict (project_id, mailbox_id, token) do update set
        junk = greatest(0, mailbox_spam_tokens.junk + ${junk}::int), ham = greatest(0, mailbox_spam_tokens.ham + ${ham}::int)
      returning token, junk)
    insert into spam_tokens (project_id, token, junk, ham, junk_mailboxes)
    select ${projectId}, own.token, greatest(0, ${commonJunk}::int), greatest(0, ${commonHam}::int), (own.junk > 0)::int
    from own where ${isForProject} order by own.token
    on conflict (project_id, token) do update set
      junk = greatest(0, spam_tokens.junk + ${commonJunk}::int), ham = greatest(0, spam_tokens.ham + ${commonHam}::int),
      junk_mailboxes = greatest(0, spam_tokens.junk_mailboxes + (
        select (own.junk > 0)::int - (coalesce(earlier.junk, 0) > 0)::int
        from own left join earlier using (token) where own.token = excluded.token))`.execute(tx);
}

async function isSenderMarked(tx: Database, { projectId, mailboxId, senders }: Lesson): Promise<boolean> {
  const reasons = await reasonsForSenders(tx, { projectId, mailboxIds: [mailboxId] }, senders);
  return reasons.get(mailboxId)?.rule === 'SENDER_MARKED';
}

async function forgetOldest(tx: Database, { projectId, mailboxId, kind }: Lesson): Promise<void> {
  const isOfMailbox = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  const { rows } = await columnsOf({ message: 'bytea', place: 'int4' }).sql`
    select message, place::int from (
      select message, row_number() over (order by learned_at desc, message) as place from mailbox_spam_lessons
      where ${isOfMailbox} and kind = ${kind}) l
    where place > ${MAX_COMPARED} order by place limit ${MAX_REMEMBERED}`.execute(tx);
  if (rows.length === 0 || rows.length % FORGOTTEN_AT_ONCE !== 0) return;
  const messages = rows.slice(0, FORGOTTEN_AT_ONCE).map(({ message }) => message);
  await sql`
    delete from spam_features where ${isOfMailbox} and message = any(${byteaArray(messages)}::bytea[])`.execute(
    tx,
  );
  if (rows.length < MAX_REMEMBERED) return;
  await sql`
    delete from mailbox_spam_lessons where ${isOfMailbox} and kind = ${kind} and learned_at < (
      select learned_at from mailbox_spam_lessons where ${isOfMailbox} and kind = ${kind}
      order by learned_at desc offset ${MAX_REMEMBERED} limit 1)`.execute(tx);
}
