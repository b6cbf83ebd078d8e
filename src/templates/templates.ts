/** The saved templates of a project, for the API (docs/contract.md, Templates). */
import { bodyOf } from '../contract/body-of.ts';
import { Template } from '../contract/templates.ts';
import type { Database } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';

/** Templates are sorted in this process, because the order of the database depends on its locale. */
const byName = new Intl.Collator('en');

const templateBody = bodyOf(Template);

export class Templates {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** All templates, sorted by name. */
  async list(projectId: string): Promise<Template[]> {
    const rows = await this.#rows(projectId).orderBy('id').execute();
    return rows
      .sort((a, b) => byName.compare(a.name, b.name))
      .map((row) => templateBody({ ...row, id: encodeId('tpl', row.id) }));
  }

  /** @returns null if the project has no such template */
  async get(projectId: string, templateId: string): Promise<Template | null> {
    const row = await this.#rows(projectId).where('id', '=', templateId).executeTakeFirst();
    return row === undefined ? null : templateBody({ ...row, id: encodeId('tpl', row.id) });
  }

  #rows(projectId: string) {
    return this.#database
      .selectFrom('templates')
      .select(['id', 'name', 'subject', 'html', 'text', 'variables', 'createdAt', 'updatedAt'])
      .where('projectId', '=', projectId);
  }
}
