/** Fills templates for the emails that use them (docs/templates.md, Sending). */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { rowsOf } from '../db/rows.ts';
import { type AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import type { Sources } from './fields.ts';
import type { FilledTemplate, Variables } from './fill-parts.ts';
import { missing } from './missing.ts';
import { TemplateThread, tooManyTemplates } from './template-thread.ts';

interface TemplateOfProject {
  projectId: string;
  /** uuid */
  id: string;
}

/** Identifies the content that a template had at some time. */
interface Version {
  /** Changes with each save. */
  version: string;
}

const FOUND_VERSION = columnsOf({ place: 'int4', version: 'text' });

const MAX_BATCH = 200;
const MAX_WAITING = 4_000;

const TEMPLATE_QUERIES = rowsOf<TemplateOfProject & { place: number }>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ id }) => id],
  place: ['int4', ({ place }) => place],
});

/**
 * Fills one template at a time in a worker thread. Projects get fair shares of its time. The version of the template is looked up for each
 * email, in batches, so that a saved template is used at once. Its sources are read only if they are not in the thread's cache.
 */
export class TemplateFiller implements AsyncDisposable {
  readonly #database: Database;
  readonly #versions: GroupCommit<TemplateOfProject, string | null>;
  readonly #thread = new TemplateThread('templates');

  constructor(database: Database) {
    this.#database = database;
    this.#versions = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (batch) => findVersions(database, batch),
    });
  }

  /**
   * @param templateId the public ID from the request, which may be malformed
   * @throws AppError validation-failed on `template_id` or `variables`, unavailable
   */
  async fill(projectId: string, templateId: string, variables: Variables): Promise<FilledTemplate> {
    const id = decodeId('tpl', templateId);
    if (id === null) throw noSuchTemplate();
    if (this.#versions.pending >= MAX_WAITING) throw tooManyTemplates();
    const version = await this.#versions.add({ projectId, id });
    if (version === null) throw noSuchTemplate();
    const answer = await this.#ask({ projectId, id }, version, variables);
    if ('filled' in answer) return answer.filled;
    throw validationError({ variables: 'missing' in answer ? missing(answer.missing) : answer.fault });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #ask(template: TemplateOfProject, version: string, variables: Variables) {
    const { projectId, id } = template;
    const first = await this.#thread.run(projectId, 'fill', {
      key: `${id} ${version}`,
      sources: null,
      variables,
    });
    if (first !== 'unknown') return first;
    const found = await this.#database
      .selectFrom('templates')
      .select(['subject', 'html', 'text', sql<string>`xmin::text`.as('version')])
      .where((row) => rowIs(row, template))
      .executeTakeFirst();
    if (found === undefined) throw noSuchTemplate();
    const { version: read, ...sources }: Sources & Version = found;
    const answer = await this.#thread.run(projectId, 'fill', { key: `${id} ${read}`, sources, variables });
    if (answer === 'unknown') throw new TypeError('the thread no longer has the template');
    return answer;
  }
}

async function findVersions(
  database: Database,
  batch: readonly TemplateOfProject[],
): Promise<(string | null)[]> {
  const { rows } = await FOUND_VERSION.sql`
    select w.place, t.xmin::text as version
    from ${TEMPLATE_QUERIES.from(batch.map((wanted, place) => ({ ...wanted, place })))}
    join templates t using (project_id, id)`.execute(database);
  const found = new Map(rows.map(({ place, version }) => [place, version]));
  return batch.map((_, place) => found.get(place) ?? null);
}

function noSuchTemplate(): AppError {
  return validationError({
    template_id: 'is not a template of this project; list the templates with GET /v1/templates',
  });
}
