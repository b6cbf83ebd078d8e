/** Exports projects as one stream of lines, for the dashboard (docs/operate/retention.md, Export). */
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { describeProject, emailsOf, filesOf } from './export-project.ts';

/** The number of emails in memory at a time. An email has up to 4 MiB, and each read occupies a connection. */
const AT_ONCE = 1;

interface ExportOptions {
  /** Called before each record. If the promise rejects, the export ends. */
  assertMayContinue(): Promise<void>;
  /** Aborts when the response has ended, whether it was complete or not. */
  signal: AbortSignal;
}

/** Pages of records. Each page has one record, because an email may be large. */
type Records = AsyncGenerator<readonly Readonly<Record<string, object>>[]>;

type FiledRecords = AsyncGenerator<[file: string, record: object], void>;

export class ProjectExports {
  readonly #database: Database;
  readonly #reads: FairReads;

  constructor(database: Database, reads: FairReads) {
    this.#database = database;
    this.#reads = reads;
  }

  /**
   * Exports a project.
   * @returns records, each as an object with the kind of the record as its key
   * @throws AppError not-found, unavailable
   */
  async ofProject(projectId: string, options: ExportOptions): Promise<Records> {
    const project = await this.#reads.run(projectId, (database) =>
      database
        .selectFrom('projects')
        .select(['id', 'name'])
        .where('id', '=', projectId)
        .executeTakeFirstOrThrow(() => new AppError('not-found', 'The project has just been deleted.')),
    );
    await this.#note([project]);
    return this.#records([project], options);
  }

  /** Exports all projects of an organization, one after the other. @throws AppError unavailable */
  async ofOrganization(organizationId: string, options: ExportOptions): Promise<Records> {
    const projects = await this.#reads.run(organizationId, (database) =>
      database
        .selectFrom('projects')
        .select(['id', 'name'])
        .where('organizationId', '=', organizationId)
        .orderBy('id')
        .execute(),
    );
    await this.#note(projects);
    return this.#records(projects, options);
  }

  /** Records the export in the audit log, for each project. */
  async #note(projects: readonly { id: string; name: string }[]): Promise<void> {
    for (const { id, name } of projects)
      await recordChange(this.#database, {
        of: { projectId: id },
        action: 'project.export',
        target: encodeId('prj', id),
        targetName: name,
      });
  }

  async *#records(
    projects: readonly { id: string; name: string }[],
    { assertMayContinue, signal }: ExportOptions,
  ): Records {
    for (const project of projects) {
      for await (const [file, record] of this.#interleaved(project)) {
        if (signal.aborted) return;
        await assertMayContinue();
        yield [{ [file]: record }];
      }
    }
  }

  async *#interleaved(project: { id: string; name: string }): FiledRecords {
    let records: FiledRecords | null = null;
    for (;;) {
      const next = await this.#reads.run(project.id, (database) =>
        (records ??= recordsOf(database, project)).next(),
      );
      if (next.done === true) return;
      yield next.value;
    }
  }
}

async function* recordsOf(database: Database, project: { id: string; name: string }): FiledRecords {
  yield ['project', await describeProject(database, project)];
  for (const [file, records] of filesOf(database, project.id))
    for await (const record of records) yield [file, record];
  for await (const [, email] of emailsOf(database, project.id, AT_ONCE)) yield ['emails', email];
}
