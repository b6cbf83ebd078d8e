/** Fills templates in for the emails that are sent by them (docs/templates.md, Sending). */
import { sql } from 'kysely';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { rowsOf } from '../db/rows.ts';
import { AnsweringThread } from '../model/answering-thread.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { Turns } from '../model/turns.ts';
import type { FilledTemplate, Variables } from './fill-parts.ts';
import type { Answer, Question, Sources } from './question.ts';
import { TIMINGS } from './timings.ts';

interface TemplateOfProject {
  projectId: string;
  /** uuid */
  id: string;
}

/** A template as it stands in the database at a moment. */
interface Version {
  /** Another one after each change. */
  version: string;
}

const MAX_BATCH = 200;
const MAX_WAITING = 4_000;
const MAX_WAITING_OF_ONE = 1_000;
const RETRY_SECONDS = 5;
const MAX_NAMED = 20;
const NEVER = new AbortController().signal;

const WANTED = rowsOf<TemplateOfProject & { place: number }>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ id }) => id],
  place: ['int4', ({ place }) => place],
});

/**
 * One template at a time, in a thread: the projects take turns. What was saved a moment ago counts, so the version is looked up for each
 * email, for many in one statement; the bodies are read when the thread does not have them.
 */
export class TemplateFiller implements AsyncDisposable {
  readonly #database: Database;
  readonly #versions: GroupCommit<TemplateOfProject, string | null>;
  readonly #turns = new Turns({
    places: 1,
    placesOfOne: 1,
    maxWaitingOfOne: MAX_WAITING_OF_ONE,
    refusal: tooMany,
  });
  readonly #thread = new AnsweringThread<Answer>({
    name: 'templates',
    code: new URL('./thread.ts', import.meta.url),
    timings: TIMINGS,
  });

  constructor(database: Database) {
    this.#database = database;
    this.#versions = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (batch) => findVersions(database, batch),
    });
  }

  /**
   * @param templateId as the caller gave it
   * @throws AppError validation-failed on `template_id` or `variables`, unavailable
   */
  async fill(projectId: string, templateId: string, variables: Variables): Promise<FilledTemplate> {
    const id = decodeId('tpl', templateId);
    if (id === null) throw noSuchTemplate();
    if (this.#versions.pending >= MAX_WAITING) throw tooMany();
    const version = await this.#versions.add({ projectId, id });
    if (version === null) throw noSuchTemplate();
    const answer = await this.#turns.run(projectId, NEVER, () =>
      this.#ask({ projectId, id }, version, variables),
    );
    if ('filled' in answer) return answer.filled;
    throw validationError({ variables: 'missing' in answer ? missing(answer.missing) : answer.fault });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #ask(template: TemplateOfProject, version: string, variables: Variables) {
    const question: Question = { key: `${template.id} ${version}`, sources: null, variables };
    const first = await this.#thread.ask(async () => [question, []]);
    if (first === null) throw tooComplicated();
    if (first !== 'unknown') return first;
    const found = await this.#database
      .selectFrom('templates')
      .select(['subject', 'html', 'text', sql<string>`xmin::text`.as('version')])
      .where((row) => rowIs(row, template))
      .executeTakeFirst();
    if (found === undefined) throw noSuchTemplate();
    const { version: read, ...sources }: Sources & Version = found;
    const key = `${template.id} ${read}`;
    const answer = await this.#thread.ask(async () => [{ key, sources, variables }, []]);
    if (answer === null || answer === 'unknown') throw tooComplicated();
    return answer;
  }
}

async function findVersions(
  database: Database,
  batch: readonly TemplateOfProject[],
): Promise<(string | null)[]> {
  const { rows } = await sql<Version & { place: number }>`
    select w.place, t.xmin::text as version
    from ${WANTED.from(batch.map((wanted, place) => ({ ...wanted, place })))}
    join templates t using (project_id, id)`.execute(database);
  const found = new Map(rows.map(({ place, version }) => [place, version]));
  return batch.map((_, place) => found.get(place) ?? null);
}

function noSuchTemplate(): AppError {
  return validationError({
    template_id: 'is no template of this project; listTemplates answers those that there are',
  });
}

function missing(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `missing: ${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function tooMany(): AppError {
  return new AppError(
    'unavailable',
    'Too many templates of this project are being filled in at the moment.',
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  );
}

function tooComplicated(): AppError {
  return new AppError('unavailable', 'To fill in this template took too long.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
