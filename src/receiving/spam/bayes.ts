/** A Bayesian filter per project, trained by users who move mail into and out of Junk. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { int4Array } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import * as clock from '../../model/clock.ts';
import { spamProbability, type TokenCounts } from './chi-square.ts';
import type { SpamReason } from './verdict.ts';
import { readContent } from './mail.ts';
import { tokensOf } from './tokens.ts';

/** How a user classified a message. */
export type SpamKind = 'junk' | 'ham';

interface StudiedMessage {
  /** SHA-256 of the stored message. */
  digest: Buffer;
  /** The beginning of the message, with at least all of its text. */
  head: Buffer;
}

interface Lesson {
  projectId: string;
  message: Buffer;
  kind: SpamKind;
  tokens: readonly number[];
}

/** How many junk messages, and how many other messages, a project must have classified before its filter affects the score. */
export const LEAST_LESSONS = 20;
/** The maximum number of remembered lessons of a project. A forgotten message counts twice if a user moves it again. */
const MAX_REMEMBERED = 10_000;
const TOTALS_TTL_MS = 60_000;
const MAX_PROJECTS = 10_000;
/** The maximum number of lessons that wait for their commit. Further lessons are dropped. */
const MAX_PENDING = 2_000;

/** The reason for each range of the spam probability. Only the first step whose condition holds applies. */
const STEPS: readonly [holds: (probability: number) => boolean, reason: SpamReason][] = [
  [(probability) => probability >= 0.99, { rule: 'LEARNED_99', weight: 4.5 }],
  [(probability) => probability >= 0.95, { rule: 'LEARNED_95', weight: 3.5 }],
  [(probability) => probability >= 0.8, { rule: 'LEARNED_80', weight: 2 }],
  [(probability) => probability <= 0.05, { rule: 'LEARNED_05', weight: -2.5 }],
  [(probability) => probability <= 0.2, { rule: 'LEARNED_20', weight: -1 }],
];

export class Bayes {
  readonly #database: Database;
  readonly #totals = new LoadingCache<TokenCounts>({
    ttlMs: TOTALS_TTL_MS,
    maxEntries: MAX_PROJECTS,
    mayCache: () => true,
    nowMs: () => performance.now(),
  });
  readonly #lessons: GroupCommit<Lesson, void>;

  constructor(database: Database) {
    this.#database = database;
    this.#lessons = new GroupCommit({
      flush: (lessons) => this.#learn(lessons),
      flights: 1,
      maxItems: 20,
    });
  }

  /** The reasons that follow from the project's lessons. Empty until the project has enough lessons. */
  async reasonsFor(projectId: string, tokens: readonly number[]): Promise<readonly SpamReason[]> {
    const totals = await this.#totals.get(projectId, () => this.#loadTotals(projectId));
    if (totals.junk < LEAST_LESSONS || totals.ham < LEAST_LESSONS) return [];
    const { rows } = await columnsOf({ junk: 'int4', ham: 'int4' }).sql`
      select junk, ham from spam_tokens
      where project_id = ${projectId} and token = any(${int4Array(tokens)}::int4[])`.execute(this.#database);
    const probability = spamProbability(rows, totals);
    if (probability === null) return [];
    return STEPS.filter(([holds]) => holds(probability))
      .map(([, reason]) => reason)
      .slice(0, 1);
  }

  /**
   * Records that a user moved a message into Junk (`junk`) or out of it (`ham`). A message counts once, by its last
   * classification. Lessons are committed in groups, after the move. A lesson is lost if the database is unavailable or too many
   * lessons are waiting.
   */
  async train(projectId: string, { digest, head }: StudiedMessage, kind: SpamKind): Promise<void> {
    const lesson = { projectId, message: digest.subarray(0, 16), kind, tokens: readTokens(head) };
    await this.#lessons.tryAdd(lesson, MAX_PENDING);
    this.#totals.forget(projectId);
  }

  async #loadTotals(projectId: string): Promise<TokenCounts> {
    const found = await this.#database
      .selectFrom('spamTraining')
      .select(['junk', 'ham'])
      .where('projectId', '=', projectId)
      .executeTakeFirst();
    return found ?? { junk: 0, ham: 0 };
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

async function learn(tx: Database, { projectId, message, kind, tokens }: Lesson): Promise<void> {
  await sql`
    insert into spam_training (project_id) values (${projectId})
    on conflict (project_id) do update set junk = spam_training.junk`.execute(tx);
  const before = await tx
    .selectFrom('spamTrained')
    .select('kind')
    .where('projectId', '=', projectId)
    .where('message', '=', message)
    .executeTakeFirst();
  if (before?.kind === kind) return;
  await tx
    .insertInto('spamTrained')
    .values({ projectId, message, kind, trainedAt: clock.now() })
    .onConflict((on) => on.columns(['projectId', 'message']).doUpdateSet({ kind, trainedAt: clock.now() }))
    .execute();
  const change = (of: SpamKind) => (of === kind ? 1 : before?.kind === of ? -1 : 0);
  const junk = change('junk');
  const ham = change('ham');
  const { rows } = await columnsOf({ lessons: 'int4' }).sql`
    update spam_training set junk = greatest(0, junk + ${junk}), ham = greatest(0, ham + ${ham})
    where project_id = ${projectId} returning junk + ham as lessons`.execute(tx);
  await sql`
    insert into spam_tokens (project_id, token, junk, ham)
    select ${projectId}, token, greatest(0, ${junk}::int), greatest(0, ${ham}::int)
    from unnest(${int4Array(tokens)}::int4[]) as k (token) order by token
    on conflict (project_id, token) do update set
      junk = greatest(0, spam_tokens.junk + ${junk}::int), ham = greatest(0, spam_tokens.ham + ${ham}::int)`.execute(
    tx,
  );
  if ((rows[0]?.lessons ?? 0) > MAX_REMEMBERED) await forgetOldest(tx, projectId);
}

async function forgetOldest(tx: Database, projectId: string): Promise<void> {
  await sql`
    delete from spam_trained where project_id = ${projectId} and message in (
      select message from spam_trained where project_id = ${projectId} order by trained_at desc offset ${MAX_REMEMBERED}
    )`.execute(tx);
}

/** The tokens of a message. A received message and the stored message have the same tokens, because trace fields are ignored. */
function readTokens(raw: Buffer): number[] {
  return tokensOf(readContent(raw));
}
