/** Searches emails for the email log of the dashboard. All projects share a few database connections. */
import {
  type CountEmailsQuery,
  type EmailCount,
  type EmailLog,
  type LoggedEmail,
  MAX_COUNT,
  type SearchEmailsQuery,
} from '../../contract/dashboard/email-log.ts';
import { hasTimedOut } from '../../db/database.ts';
import type { FairReads, Read } from '../../db/fair-reads.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { AppError, unavailable, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import {
  type EmailQuery,
  idRange,
  type LogStatus,
  parseEmailQuery,
  timeOfBound,
} from '../../model/email-query.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { exportingPages } from '../../concurrency/export-slots.ts';
import { decodeId, encodeId, firstUuidAt, NIL_UUID, timeOf } from '../../model/ids.ts';
import { EMAILS_END, encodeEmailsEnd } from '../../sending/read/list-emails.ts';
import { countEmails, findEmails, type ListedEmail, type Range } from '../../sending/read/find-emails.ts';
import { EVERYTHING, type Filter, filtersOf } from '../../sending/read/list-filters.ts';
import {
  countRecipients,
  countsRecipients,
  faultOf,
  hasNumberTerms,
  numberFilters,
} from './number-filters.ts';
import { searchEmails } from './search-emails.ts';
import { rangesWithMatches } from './settled-hours.ts';
import { nameOf, type SearchTerm, searchTermsOf } from './searched-email.ts';

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** The number of emails that an export reads at once. */
const EXPORTED = 200;
/** An email may appear in the list up to this long after the time in its ID, because the ID is created before its transaction commits. */
const LATE_MS = 60_000;

/** How long a count is kept, so that several tabs with the same list cause one count. */
const COUNT_TTL_MS = 10_000;
const MAX_COUNTS = 1_000;
/** A count begins no statement after this time. */
const COUNT_MS = 1_000;
/** The number of emails that a count by words reads at once. */
const COUNTED = 1_000;

/** A count that was not made. */
const UNKNOWN: EmailCount = { emails: 0, recipients: null, is_more: true };

export class EmailSearch {
  readonly #reads: FairReads;
  readonly #counts = new LoadingCache<EmailCount>({
    ttlMs: COUNT_TTL_MS,
    maxEntries: MAX_COUNTS,
    mayCache: (count) => count !== UNKNOWN,
    nowMs: () => performance.now(),
  });

  /** The projects whose emails are being counted. */
  readonly #counting = new Set<string>();
  readonly #countMs: number;

  constructor(reads: FairReads, { countMs = COUNT_MS }: { countMs?: number } = {}) {
    this.#reads = reads;
    this.#countMs = countMs;
  }

  /**
   * A page of a project's emails, newest first. `fault` is set if the query is not valid. Projects take turns for the connections after
   * each statement.
   * @throws AppError validation-failed for an invalid cursor; unavailable if the search takes too long
   */
  async search(projectId: string, query: SearchEmailsQuery): Promise<EmailLog> {
    const parsed = parseSearch(query.q ?? '');
    if ('error' in parsed)
      return { data: [], next_cursor: null, unmatched: [], fault: parsed.error, is_complete: true };
    const range = rangeOf(parsed, query);
    const seconds = this.#reads.timeoutMs / 1_000;
    const { emails, unmatched, isComplete } = await this.#reads.runFairly(
      projectId,
      (read) => find(read, projectId, parsed, range, query.limit + 1),
      {
        tooLong: `The search took longer than ${seconds} seconds. Limit the time range, for example with since:7d.`,
      },
    );
    const page = emails.slice(0, query.limit);
    const last = page.at(-1);
    return {
      data: page.map(logged),
      next_cursor: emails.length > query.limit && last !== undefined ? encodeEmailsEnd(last.id) : null,
      unmatched,
      fault: null,
      is_complete: isComplete,
    };
  }

  /**
   * How many emails match a query: at least 0 while another count of the project is under way. Statements of the count take turns with the
   * searches of other projects.
   * @throws AppError validation-failed for an invalid query or cursor
   */
  async count(projectId: string, query: CountEmailsQuery): Promise<EmailCount> {
    const parsed = parseSearch(query.q ?? '');
    if ('error' in parsed) throw validationError({ q: parsed.error });
    const range = rangeOf(parsed, query);
    return this.#counts.get(`${projectId} ${query.cursor ?? ''} ${query.q ?? ''}`, async () => {
      if (this.#counting.has(projectId)) return UNKNOWN;
      this.#counting.add(projectId);
      try {
        return await this.#reads.runFairly(
          projectId,
          (read) => count(read, projectId, parsed, range, this.#countMs),
          { timeoutMs: this.#countMs },
        );
      } finally {
        this.#counting.delete(projectId);
      }
    });
  }

  /**
   * All emails that match a query, newest first, from `exportingPages`.
   * @param assertMayContinue called before each page. An error that it throws ends the export
   * @throws AppError like `search`; validation-failed for an invalid query
   */
  async exporting(
    projectId: string,
    q: string,
    assertMayContinue: () => Promise<void>,
  ): Promise<AsyncIterable<LoggedEmail[]>> {
    // Search for the first page before returning, so that an invalid query is reported before any output.
    const first = await this.search(projectId, { q, limit: EXPORTED });
    if (first.fault !== null) throw validationError({ q: first.fault });
    return exportingPages(
      first,
      (cursor) => this.search(projectId, { q, limit: EXPORTED, cursor }),
      assertMayContinue,
    );
  }
}

interface EmailMatches {
  emails: ListedEmail[];
  unmatched: string[];
  isComplete: boolean;
}

async function find(
  read: Read,
  projectId: string,
  { words, status, ...terms }: Parsed,
  range: Range,
  limit: number,
): Promise<EmailMatches> {
  const filters = await numberFilters(read, projectId, terms);
  if (words.length === 0) {
    const emails: ListedEmail[] = [];
    for (const part of await rangesWithMatches(read, projectId, terms, range)) {
      if (emails.length === limit) break;
      const left = limit - emails.length;
      emails.push(...(await findEmails(read, projectId, [...ofStatus(status), ...filters], part, left)));
    }
    return { emails, unmatched: [], isComplete: true };
  }
  const { emails, unmatched, isComplete } = await searchEmails(
    read,
    projectId,
    { words, status, checks: filters.map(({ check }) => check) },
    range,
    limit,
  );
  return {
    emails,
    unmatched: unmatched.map(nameOf),
    isComplete,
  };
}

function ofStatus(status: LogStatus | null): Filter[] {
  return filtersOf(status === null ? {} : { status });
}

/** If the time is over, the answer is what was counted until then. */
async function count(
  read: Read,
  projectId: string,
  parsed: Parsed,
  range: Range,
  countMs: number,
): Promise<EmailCount> {
  const endMs = performance.now() + countMs;
  const inTime: Read = (statement) => {
    if (performance.now() >= endMs) throw unavailable('The count takes too long.');
    return read(statement);
  };
  let emails = 0;
  let recipients = countsRecipients(parsed) ? 0 : null;
  const counted = (isMore: boolean): EmailCount => ({
    emails: Math.min(emails, MAX_COUNT),
    recipients,
    is_more: isMore || emails > MAX_COUNT,
  });
  try {
    if (parsed.words.length === 0 && !hasNumberTerms(parsed)) {
      const [filter = EVERYTHING] = ofStatus(parsed.status);
      const limit = MAX_COUNT + 1;
      const { examined, matching } = await inTime((database) =>
        countEmails(database, projectId, filter, range, limit),
      );
      emails = matching;
      return counted(examined === limit);
    }
    for (let { before } = range; ; ) {
      const size = Math.min(COUNTED, MAX_COUNT - emails + 1);
      const part = await find(inTime, projectId, parsed, { ...range, before }, size);
      // One email more than the maximum shows that there are more.
      const ids = part.emails.slice(0, MAX_COUNT - emails).map(({ id }) => id);
      if (recipients !== null)
        recipients += await inTime((database) => countRecipients(database, projectId, parsed, ids));
      emails += part.emails.length;
      const last = part.emails.at(-1);
      if (!part.isComplete || emails > MAX_COUNT) return counted(true);
      if (last === undefined || part.emails.length < size) return counted(false);
      before = last.id;
    }
  } catch (error) {
    if (hasTimedOut(error) || (error instanceof AppError && error.code === 'unavailable'))
      return counted(true);
    throw error;
  }
}

function logged({ id, status, subject, sender, toList, tags, scheduledAt }: ListedEmail): LoggedEmail {
  return {
    id: encodeId('em', id),
    status: EMAIL_STAGES[status] ?? 'queued',
    subject,
    from: sender,
    to: toList,
    tags,
    created_at: timeOf(id).toISOString(),
    scheduled_at: scheduledAt?.toISOString() ?? null,
  };
}

interface Parsed extends Omit<EmailQuery, 'words'> {
  words: SearchTerm[];
}

/** @returns an error that names the invalid term if the text is not a valid query */
export function parseSearch(q: string): Parsed | { error: string } {
  const query = parseEmailQuery(q);
  if ('error' in query) return query;
  const fault = faultOf(query);
  if (fault !== null) return { error: fault };
  const words = searchTermsOf(query.words);
  return 'error' in words ? words : { ...query, words };
}

function rangeOf(
  { since, until, id }: Parsed,
  { cursor, after }: Pick<SearchEmailsQuery, 'cursor' | 'after'>,
): Range {
  const nowMs = clock.nowMs();
  const ends = [LAST_UUID];
  const starts = [NIL_UUID];
  if (cursor !== undefined) ends.push(EMAILS_END.decode(cursor).id);
  if (until !== null) ends.push(firstUuidAt(timeOfBound(until, nowMs)));
  if (since !== null) starts.push(firstUuidAt(timeOfBound(since, nowMs)));
  if (id !== null) {
    const ids = idRange(id);
    ends.push(ids.before);
    starts.push(ids.from);
  }
  if (after !== undefined) {
    const uuid = decodeId('em', after);
    if (uuid === null) throw validationError({ after: 'is not the id of an email' });
    starts.push(firstUuidAt(new Date(timeOf(uuid).getTime() - LATE_MS)));
  }
  return { before: ends.toSorted()[0] ?? LAST_UUID, from: starts.toSorted().at(-1) ?? NIL_UUID };
}
