/**
 * Stores the values of the last email of each template, with which the editor can show the draft (docs/templates.md, In the dashboard).
 * Accepting an email only notes the use in memory. One statement a second writes the notes, so senders do not wait for it, and emails with
 * the same template do not wait for each other. A killed process loses the notes of its last second.
 */
import { sql } from 'kysely';
import type { SendEmail } from '../contract/emails.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { decodeId } from '../model/ids.ts';
import { TIMINGS } from './timings.ts';

interface TemplateUse {
  projectId: string;
  /** uuid */
  templateId: string;
  /** uuid of a committed email */
  emailId: string;
  /** A JSON object. */
  variables: string;
}

/** Maximum length of stored values, in characters. Emails with longer values are not noted. */
const MAX_LENGTH = 32_768;
/** Maximum number of noted templates. */
const MAX_NOTED = 500;
/** Maximum length of all values that are serialized between two writes. It limits the time that notes take from requests, and their memory. */
const MAX_SERIALIZED = 1_000_000;

const USES = rowsOf<TemplateUse>('u', {
  project_id: ['uuid', ({ projectId }) => projectId],
  template_id: ['uuid', ({ templateId }) => templateId],
  email_id: ['uuid', ({ emailId }) => emailId],
  variables: ['text', ({ variables }) => variables],
});

export class TemplateUses implements AsyncDisposable {
  readonly #database: Database;
  #latest = new Map<string, TemplateUse>();
  /** The length of the values that may still be serialized before the next write. */
  #left = MAX_SERIALIZED;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes an email that was accepted, if it has a template. @param emailId uuid of a committed email */
  note(projectId: string, emailId: string, { template_id, variables = {} }: SendEmail): void {
    if (template_id === undefined || this.#left <= 0) return;
    const templateId = decodeId('tpl', template_id);
    if (templateId === null) return;
    const key = `${projectId} ${templateId}`;
    const known = this.#latest.get(key);
    if (known === undefined ? this.#latest.size >= MAX_NOTED : known.emailId > emailId) return;
    const json = jsonOf(variables);
    this.#left -= json?.length ?? MAX_SERIALIZED;
    if (json !== null && json.length <= MAX_LENGTH)
      this.#latest.set(key, { projectId, templateId, emailId, variables: json });
    this.#timer ??= setTimeout(() => this.#flush(), TIMINGS.usesDelayMs).unref();
  }

  /** Writes all notes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const uses = [...this.#latest.values()];
    this.#latest = new Map();
    this.#left = MAX_SERIALIZED;
    if (uses.length === 0) return;
    // If the write fails, the next email with the template is noted again.
    this.#writing = this.#writing.then(() => write(this.#database, uses)).catch(() => {});
  }
}

/** The JSON of the values. Null if they are nested too deeply for it: the email is already accepted, so no error may reach its sender. */
function jsonOf(variables: object): string | null {
  try {
    return JSON.stringify(variables);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Writes uses that are newer than the stored ones. The rows of the emails are locked before the first use is written, so a later deletion of
 * bodies also deletes the use. Rows that another transaction is changing are skipped: it may be deleting bodies, and waiting for it could
 * be a deadlock. The bodies of an email in `waiting_bodies` are needed by its pending recipients, but its values are not.
 */
async function write(database: Database, uses: readonly TemplateUse[]): Promise<void> {
  await sql`
    insert into template_uses as t (${USES.names})
    select ${USES.values} from ${USES.from(uses)}
    cross join lateral (
      select from projects where id = u.project_id and keep_bodies_days is distinct from 0) p
    cross join lateral (
      select from templates where project_id = u.project_id and id = u.template_id for key share skip locked) k
    cross join lateral (
      select from email_contents
      where project_id = u.project_id and email_id = u.email_id and bodies_deleted_at is null for share skip locked) c
    where not exists (select from waiting_bodies where project_id = u.project_id and email_id = u.email_id)
    order by u.project_id, u.template_id
    on conflict (project_id, template_id) do update
      set email_id = excluded.email_id, variables = excluded.variables
      where t.email_id < excluded.email_id`.execute(database);
}
