/** Templates for the pages of the dashboard (docs/templates.md). */
import type {
  SaveTemplate,
  SaveTemplateDraft,
  TemplateDetail,
  TemplateSummaryList,
  TemplateTrial,
  TemplateVersion,
  TemplateVersionList,
  UpdateTemplate,
} from '../contract/dashboard/templates.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId } from '../model/ids.ts';
import type { StarterKey } from '../model/template-starters.ts';
import type { FilledTemplate, Variables } from './fill-parts.ts';
import type { Trial } from './question.ts';
import { createTemplate, deleteTemplate, updateTemplate } from './save-template.ts';
import { starterOf } from './starters/starters.ts';
import { deleteDraft, type DraftFields, type DraftOf, readDraft, writeDraft } from './template-drafts.ts';
import { missing } from './template-filler.ts';
import { TemplateThread } from './template-thread.ts';
import { listVersions, readVersion } from './template-versions.ts';
import type { Templates } from './templates.ts';

const NO_SAMPLE = '{}';

export class TemplatePages implements AsyncDisposable {
  readonly #database: Database;
  readonly #templates: Templates;
  /** Separate from the thread that fills templates for emails, so that emails do not wait for users who are editing. */
  readonly #thread = new TemplateThread('writing templates');

  constructor(database: Database, templates: Templates) {
    this.#database = database;
    this.#templates = templates;
  }

  async list(projectId: string): Promise<TemplateSummaryList> {
    const data = await this.#templates.list(projectId);
    return {
      data: data.map(({ id, name, subject, variables, html, text, updated_at }) => ({
        id,
        name,
        subject,
        variables,
        updated_at,
        has_html: html !== '',
        has_text: text !== '',
      })),
    };
  }

  /** @returns null if the project has no such template */
  async get(of: DraftOf): Promise<TemplateDetail | null> {
    const [template, sample, draft] = await Promise.all([
      this.#templates.get(of.projectId, of.templateId),
      this.#sample(of),
      readDraft(this.#database, of),
    ]);
    if (template === null) return null;
    const trial = await this.#try(of.projectId, draft ?? { ...template, sample });
    return {
      ...template,
      sample,
      draft: draft === undefined ? null : draftOf(draft, template.updated_at),
      trial: shown(trial),
    };
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded, unavailable */
  async create(projectId: string, { sample, ...fields }: SaveTemplate): Promise<{ id: string }> {
    const variables = await this.#check(projectId, fields, sample);
    const { id } = await createTemplate(this.#database, projectId, fields, { variables, sample });
    return { id: encodeId('tpl', id) };
  }

  /**
   * Saves the template and deletes the user's draft.
   * @returns null if the project has no such template
   * @throws AppError validation-failed, with `based_on` if there was another save in the meantime; already-exists, plan-limit-exceeded,
   * unavailable
   */
  async update(of: DraftOf, { sample, based_on, ...fields }: UpdateTemplate): Promise<TemplateDetail | null> {
    const begunAt = clock.now();
    const variables = await this.#check(of.projectId, fields, sample);
    const saved = await updateTemplate(this.#database, of.projectId, of.templateId, fields, {
      variables,
      basedOn: based_on === undefined ? undefined : new Date(based_on),
    });
    if (saved === null) return null;
    await this.#keepSample(of.projectId, of.templateId, sample);
    // If the user went on writing during the save, there is already a newer draft, which must stay.
    await deleteDraft(this.#database, of, begunAt);
    return this.get(of);
  }

  delete(projectId: string, templateId: string): Promise<boolean> {
    return deleteTemplate(this.#database, projectId, templateId);
  }

  /** Stores the user's draft and tries it out. Null if the project has no such template. @throws AppError unavailable */
  async saveDraft(of: DraftOf, { based_on, ...draft }: SaveTemplateDraft): Promise<TemplateTrial | null> {
    const basedOn = based_on === undefined ? null : new Date(based_on);
    if (!(await writeDraft(this.#database, of, { ...draft, basedOn }))) return null;
    return shown(await this.#try(of.projectId, draft));
  }

  async discardDraft(of: DraftOf): Promise<boolean> {
    await deleteDraft(this.#database, of);
    return true;
  }

  /** The result of filling the user's draft, with missing variables left empty. Null if the project has no such template. */
  async preview(of: DraftOf): Promise<{ html: string; text: string } | null> {
    const sources = await this.#sources(of);
    if (sources === null) return null;
    const { filled, errors, fault } = await this.#try(of.projectId, sources);
    // The preview of a template without HTML shows the text, as mail apps do.
    const part = sources.html === '' ? 'text' : 'html';
    const error = errors[part];
    if (error !== undefined) return { html: '', text: `${part}: ${error}` };
    return { html: filled.html ?? '', text: filled.text || (fault ?? '') };
  }

  /** A starter, filled with its sample values. @throws AppError unavailable */
  async starterPreview(projectId: string, key: StarterKey): Promise<{ html: string; text: string }> {
    const { filled } = await this.#try(projectId, starterOf(key));
    return { html: filled.html ?? '', text: filled.text ?? '' };
  }

  /**
   * The content of an email with this template. Null if the project has no such template.
   * @throws AppError validation-failed if variables are missing or the template is invalid; unavailable
   */
  async filled(of: DraftOf): Promise<FilledTemplate | null> {
    const sources = await this.#sources(of);
    if (sources === null) return null;
    const trial = await this.#try(of.projectId, sources);
    if (Object.keys(trial.errors).length > 0) throw validationError(trial.errors);
    if (trial.missing.length > 0) throw validationError({ variables: missing(trial.missing) });
    if (trial.fault !== null) throw validationError({ variables: trial.fault });
    return trial.filled as FilledTemplate;
  }

  /** @returns null if the project has no such template */
  async versions(projectId: string, templateId: string): Promise<TemplateVersionList | null> {
    const rows = await listVersions(this.#database, { projectId, templateId });
    return rows === null ? null : { data: rows.map(versionOf) };
  }

  /** @returns null if the template has no such version */
  async version(projectId: string, templateId: string, id: string): Promise<TemplateVersion | null> {
    const row = await readVersion(this.#database, { projectId, templateId }, id);
    if (row === undefined) return null;
    const { subject, html, text } = row;
    return { ...versionOf(row), subject, html, text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #sources(of: DraftOf): Promise<Sources | null> {
    const draft = await readDraft(this.#database, of);
    if (draft !== undefined) return draft;
    const template = await this.#templates.get(of.projectId, of.templateId);
    return template === null ? null : { ...template, sample: await this.#sample(of) };
  }

  async #try(projectId: string, { subject, html, text, sample }: Sources): Promise<TrialOfDraft> {
    const variables = objectIn(sample);
    const sources = { subject, html, text };
    const trial = await this.#thread.run(projectId, 'try', { sources, variables: variables ?? {} });
    return variables === null
      ? { ...trial, errors: { ...trial.errors, sample: 'must be a JSON object' } }
      : trial;
  }

  async #check(projectId: string, fields: Omit<SaveTemplate, 'sample'>, sample = NO_SAMPLE) {
    const checked = await this.#thread.run(projectId, 'check', { fields });
    const errors = 'errors' in checked ? checked.errors : {};
    const wrong = objectIn(sample) === null ? { sample: 'must be a JSON object' } : {};
    if ('errors' in checked || 'sample' in wrong) throw validationError({ ...errors, ...wrong });
    return checked.variables;
  }

  async #sample({ projectId, templateId }: Omit<DraftOf, 'userId'>): Promise<string> {
    const row = await this.#database
      .selectFrom('templates')
      .select('sample')
      .where((row) => rowIs(row, { projectId, id: templateId }))
      .executeTakeFirst();
    return row?.sample ?? NO_SAMPLE;
  }

  /**
   * Stores sample data. The sample data is only for previews, so storing it does not count as a change to the template and is not in the
   * audit log.
   */
  async #keepSample(projectId: string, id: string, sample: string | undefined): Promise<void> {
    if (sample === undefined) return;
    await this.#database
      .updateTable('templates')
      .set({ sample })
      .where((row) => rowIs(row, { projectId, id }))
      .execute();
  }
}

type Sources = Omit<DraftFields, 'basedOn'>;
type TrialOfDraft = Trial & { errors: TemplateTrial['errors'] };

function shown({ variables, errors, missing, fault, filled }: TrialOfDraft): TemplateTrial {
  return {
    variables,
    errors,
    missing,
    fault,
    filled: { subject: filled.subject ?? null, text: filled.text ?? null },
  };
}

/** Parses a JSON object. Null if the text is not a JSON object. */
function objectIn(json: string): Variables | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Variables) : null;
  } catch {
    return null;
  }
}

/**
 * The draft for the page. Earlier versions of the service did not store `basedOn`. If it is missing, a draft that is newer than the last
 * save counts as based on that save. An older draft counts as based on a save at the draft's own time.
 */
function draftOf({ updatedAt, basedOn, ...fields }: DraftFields & { updatedAt: Date }, savedAt: string) {
  const updated_at = updatedAt.toISOString();
  const based_on = basedOn?.toISOString() ?? (updated_at < savedAt ? updated_at : savedAt);
  return { ...fields, updated_at, based_on };
}

interface VersionRow {
  id: string;
  name: string;
  actorKind: TemplateVersion['actor_kind'];
  actorName: string;
  createdAt: Date;
}

function versionOf({ id, name, actorKind, actorName, createdAt }: VersionRow) {
  return {
    id: encodeId('ver', id),
    name,
    actor_kind: actorKind,
    actor_name: actorName,
    created_at: createdAt.toISOString(),
  };
}
