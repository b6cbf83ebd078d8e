/**
 * Writes the API log: requests with an API key that were rejected. Rows are written in batches after the response, in transactions of
 * their own, so that the log neither delays a response nor makes a request fail. A killed process loses the rows of its last batch.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import { errorsWithoutContent, MAX_NAME, redact, shorten, withoutCutNames } from '../../contract/redact.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { rowsOf } from '../../db/rows.ts';
import { newUuid, timeOf } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { MAX_PER_KEY, MAX_PER_PROJECT } from './limits.ts';

/** A rejected request, with texts and values as the client sent them. */
export interface RejectedRequest {
  /** uuid */
  projectId: string;
  /** uuid */
  keyId: string;
  method: string;
  /** The path of the operation, such as `/v1/emails/{id}`. */
  route: string;
  /** The values of the parameters in the route, decoded. */
  parameters: Readonly<Record<string, string>>;
  status: number;
  /** The error code. */
  problem: string;
  detail: string;
  errors: Readonly<Record<string, string>> | null;
  /** The parsed body; undefined if there was none, or if it was not read. */
  body: unknown;
  /** The schema of the body. */
  schema: object;
  address: string | null;
  userAgent: string | null;
  requestId: string;
}

/** A request without secrets. All texts are short. */
interface Row extends Omit<RejectedRequest, 'parameters' | 'errors'> {
  id: string;
  path: string;
  errors: Record<string, string> | null;
  omitted: number;
}

const MAX_BATCH = 100;
/** Maximum numbers of pending rows. All together take at most 30 MB. Requests beyond these limits are counted as omitted. */
const MAX_WAITING = 500;
const MAX_WAITING_OF_PROJECT = 200;
/**
 * How many requests are stored at once, and per second. Attack: a client that repeats a rejected request at full speed, or with many keys,
 * would otherwise write as many rows as it sends requests.
 */
const OF_KEY = { burst: 200, perSecond: 10 };
const OF_PROJECT = { burst: 400, perSecond: 20 };
const MAX_COUNTED_KEYS = 10_000;
/** An error is logged at most once in this time. Further errors have the same reason. */
const LOG_EVERY_MS = 60_000;
const MAX_PARAMETER = 320;
const MAX_USER_AGENT = 200;
const MAX_MESSAGE = 1_000;
/** The maximum length of all errors of a request. */
const MAX_ERRORS_LENGTH = 8_000;

const ROWS = rowsOf<Row & { hasContent: boolean }>('r', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ id }) => id],
  created_at: ['timestamptz', ({ id }) => timeOf(id)],
  key_id: ['uuid', ({ keyId }) => keyId],
  method: ['text', ({ method }) => method],
  route: ['text', ({ route }) => route],
  path: ['text', ({ path }) => path],
  status: ['int2', ({ status }) => status],
  problem: ['text', ({ problem }) => problem],
  detail: ['text', ({ detail }) => detail],
  errors: ['json', ({ errors }) => errors],
  body: ['json', ({ body }) => body ?? null],
  has_content: ['bool', ({ hasContent }) => hasContent],
  omitted: ['int4', ({ omitted }) => omitted],
  address: ['text', ({ address }) => address],
  user_agent: ['text', ({ userAgent }) => userAgent],
  request_id: ['text', ({ requestId }) => requestId],
});

const KEYS = rowsOf<Pick<Row, 'projectId' | 'keyId'>>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  key_id: ['uuid', ({ keyId }) => keyId],
});

const PROJECTS = rowsOf<Pick<Row, 'projectId'>>('p', {
  project_id: ['uuid', ({ projectId }) => projectId],
});

export interface RejectedRequestsOptions {
  database: Database;
  logger: Pick<Logger, 'warn'>;
  /** A monotonic clock. */
  nowMs?: () => number;
}

export class RejectedRequests implements AsyncDisposable {
  readonly #options: Required<RejectedRequestsOptions>;
  readonly #writes: GroupCommit<Row, null>;
  readonly #ofKeys: TokenBuckets;
  readonly #ofProjects: TokenBuckets;
  /** Pending requests by project. No set is empty. */
  readonly #pending = new Map<string, Set<Promise<void>>>();
  /** By key: how many requests were not stored since the last one that was. */
  readonly #omitted = new BoundedMap<string, number>(MAX_COUNTED_KEYS);
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ nowMs = () => performance.now(), ...options }: RejectedRequestsOptions) {
    this.#options = { ...options, nowMs };
    this.#ofKeys = new TokenBuckets(OF_KEY.perSecond, OF_KEY.burst, nowMs);
    this.#ofProjects = new TokenBuckets(OF_PROJECT.perSecond, OF_PROJECT.burst, nowMs);
    this.#writes = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (rows) => write(options.database, rows),
    });
  }

  /**
   * Stores a request without waiting. Resolves when it is stored, or is omitted. Never rejects. Not an async function, because its frame
   * would keep the whole request in memory until then.
   */
  note(request: RejectedRequest): Promise<void> {
    const { projectId, keyId } = request;
    const pending = this.#pending.get(projectId) ?? new Set();
    const isStored =
      pending.size < MAX_WAITING_OF_PROJECT &&
      this.#ofKeys.take(keyId).allowed &&
      this.#ofProjects.take(projectId).allowed;
    if (!isStored) return Promise.resolve(this.#omit(keyId, 1));
    let row: Row;
    try {
      row = rowOf(request, this.#omitted.get(keyId) ?? 0);
    } catch (error) {
      this.#log(error);
      return Promise.resolve(this.#omit(keyId, 1));
    }
    const stored = this.#store(row).finally(() => {
      pending.delete(stored);
      if (pending.size === 0) this.#pending.delete(projectId);
    });
    this.#pending.set(projectId, pending.add(stored));
    return stored;
  }

  /** Waits until all pending requests are stored or omitted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pending.values()].flatMap((pending) => [...pending]));
  }

  async #store(row: Row): Promise<void> {
    const { keyId, omitted } = row;
    this.#omitted.delete(keyId);
    try {
      const result = await this.#writes.tryAdd(row, MAX_WAITING);
      if (result === 'lost') this.#omit(keyId, omitted + 1);
    } catch (error) {
      this.#omit(keyId, omitted + 1);
      this.#log(error);
    }
  }

  #omit(keyId: string, count: number): void {
    this.#omitted.set(keyId, (this.#omitted.get(keyId) ?? 0) + count);
  }

  #log(error: unknown): void {
    const { logger, nowMs } = this.#options;
    if (nowMs() - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = nowMs();
    logger.warn({ err: error }, LOG_MESSAGES.rejectedNotStored);
  }
}

function rowOf(request: RejectedRequest, omitted: number): Row {
  const { projectId, keyId, method, route, parameters, status, problem, schema } = request;
  const { detail, errors, body, address, userAgent, requestId } = request;
  const texts = {
    path: route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      pathSegment(shorten(parameters[name] ?? '', MAX_PARAMETER)),
    ),
    detail: shown(problem === 'malformed-json' ? withoutQuotedBody(detail) : detail),
    errors: errors === null ? null : shownErrors(errors),
    // Content is removed later if the project stores no bodies.
    body: redact(body, schema, { keepsContent: true }),
    address,
    userAgent: userAgent === null ? null : shorten(storable(userAgent), MAX_USER_AGENT),
  };
  // Copy the texts, because V8 keeps a whole text in memory as long as a part of it is used: a body of megabytes for its first words.
  const copies = structuredClone(texts);
  return {
    projectId,
    id: newUuid(),
    keyId,
    method,
    route,
    status,
    problem,
    schema,
    requestId,
    omitted,
    ...copies,
  };
}

function shownErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  const kept: [string, string][] = [];
  let left = MAX_ERRORS_LENGTH;
  for (const [field, message] of Object.entries(errors)) {
    const error: [string, string] = [shorten(storable(field), MAX_NAME), shown(message)];
    left -= error[0].length + error[1].length;
    if (left < 0) break;
    kept.push(error);
  }
  return Object.fromEntries(kept);
}

function shown(message: string): string {
  return shorten(storable(withoutCutNames(message)), MAX_MESSAGE);
}

/** Encodes a parameter for a path. `@` stays, which is allowed there (RFC 3986, section 3.3), so that addresses can be read. */
export function pathSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%40', '@');
}

/** Node's message about text that is not JSON quotes a part of the text, which may be a secret. The reason before it stays. */
function withoutQuotedBody(detail: string): string {
  const reason = /^(?:'"'|[^"])*/.exec(detail)?.[0] ?? '';
  return reason === detail ? detail : `${reason.replace(/[\s.,:]+$/, '')}.`;
}

/** Replaces characters that PostgreSQL does not store, and those that would change how a page shows the text. */
function storable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD').toWellFormed();
}

async function write(database: Database, rows: readonly Row[]): Promise<null[]> {
  const ids = [...new Set(rows.map(({ projectId }) => projectId))];
  const projects = await database
    .selectFrom('projects')
    .select(['id', 'keepBodiesDays'])
    .where('id', 'in', ids)
    .execute();
  const keepsContent = new Map(projects.map(({ id, keepBodiesDays }) => [id, keepBodiesDays !== 0]));
  const stored = rows.flatMap((row) => {
    const keeps = keepsContent.get(row.projectId);
    // The project was deleted a moment ago.
    if (keeps === undefined) return [];
    const { body, errors } = row;
    const bare = {
      body: redact(body, row.schema, { keepsContent: false }),
      errors: errors === null ? null : errorsWithoutContent(errors),
    };
    const hasContent = keeps && JSON.stringify(bare) !== JSON.stringify({ body, errors });
    return [{ ...row, ...(keeps ? {} : bare), hasContent }];
  });
  if (stored.length > 0)
    await database.transaction().execute(async (tx) => {
      await sql`insert into rejected_requests (${ROWS.names}) select ${ROWS.values} from ${ROWS.from(stored)}`.execute(
        tx,
      );
      await sql`
        delete from rejected_requests r
        using ${KEYS.from(unique(stored, ({ keyId }) => keyId))} cross join lateral (
          select id from rejected_requests o where o.project_id = k.project_id and o.key_id = k.key_id
          order by id desc offset ${MAX_PER_KEY - 1} limit 1) oldest
        where r.project_id = k.project_id and r.key_id = k.key_id and r.id < oldest.id`.execute(tx);
      await sql`
        delete from rejected_requests r
        using ${PROJECTS.from(unique(stored, ({ projectId }) => projectId))} cross join lateral (
          select id from rejected_requests o where o.project_id = p.project_id
          order by id desc offset ${MAX_PER_PROJECT - 1} limit 1) oldest
        where r.project_id = p.project_id and r.id < oldest.id`.execute(tx);
    });
  return rows.map(() => null);
}

function unique<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
