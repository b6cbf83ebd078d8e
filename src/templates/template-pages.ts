/** Templates for the pages of the dashboard (docs/templates.md). */
import type {
  SavedTemplateDraft,
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
import { validationError } from '../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../model/ids.ts';
import type { StarterKey } from '../model/template-starters.ts';
import type { AuthoredTemplate } from './fields.ts';
import { NO_SAMPLE, readAuthored, type TemplateKey } from './authored.ts';
import type { FilledTemplate } from './fill-parts.ts';
import { missing } from './missing.ts';
import { readLibrary } from './pieces.ts';
import type { Trial } from './question.ts';
import { objectIn } from './sample-object.ts';
import { type CheckedTemplate, createTemplate, deleteTemplate, updateTemplate } from './save-template.ts';
import { starterOf } from './starters/starters.ts';
import { discardDraft, type DraftFields, readDraft, writeDraft } from './template-drafts.ts';
import type { TemplateThread } from './template-thread.ts';
import { listVersions, readVersion } from './template-versions.ts';
import type { Templates } from './templates.ts';
import { withUnchangedPieces } from './unchanged-pieces.ts';

export class TemplatePages {
  readonly #database: Database;
  readonly #templates: Templates;
  readonly #thread: TemplateThread;

  constructor(database: Database, templates: Templates, thread: TemplateThread) {
    this.#database = database;
    this.#templates = templates;
    this.#thread = thread;
  }

  async list(projectId: string): Promise<TemplateSummaryList> {
    const [data, drafts] = await Promise.all([
      this.#templates.list(projectId),
      this.#database
        .selectFrom('templateSharedDrafts')
        .select('templateId')
        .where('projectId', '=', projectId)
        .execute(),
    ]);
    const withDraft = new Set(drafts.map(({ templateId }) => encodeId('tpl', templateId)));
    return {
      data: data.map(({ id, name, subject, variables, html, text, updated_at }) => ({
        id,
        name,
        subject,
        variables,
        updated_at,
        has_html: html !== '',
        has_text: text !== '',
        has_draft: withDraft.has(id),
      })),
    };
  }

  /** @returns null if the project has no such template */
  async get(of: TemplateKey): Promise<TemplateDetail | null> {
    const [template, authored, draft] = await Promise.all([
      this.#templates.get(of.projectId, of.templateId),
      readAuthored(this.#database, of),
      readDraft(this.#database, of),
    ]);
    if (template === null || authored === undefined) return null;
    const trial = await this.#try(of.projectId, draft ?? authored);
    return {
      ...template,
      ...bodyOf(authored),
      updated_at: authored.updatedAt.toISOString(),
      draft:
        draft === undefined
          ? null
          : {
              ...bodyOf(draft),
              revision: encodeId('ver', draft.revision),
              actor_name: draft.actorName,
              updated_at: draft.updatedAt.toISOString(),
              based_on: draft.basedOn.toISOString(),
            },
      trial: shown(trial),
    };
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded, unavailable */
  async create(projectId: string, { sample, layout_id, ...rest }: SaveTemplate): Promise<{ id: string }> {
    const fields = { ...rest, layoutId: layoutIn(layout_id) };
    const { id } = await withUnchangedPieces(async () => {
      const checked = await this.#check(projectId, fields, sample);
      return createTemplate(this.#database, projectId, { ...fields, sample }, checked);
    });
    return { id: encodeId('tpl', id) };
  }

  /**
   * Publishes the template, and deletes the draft that was published.
   * @returns null if the project has no such template
   * @throws AppError validation-failed, with `based_on` or `draft_revision` if there was another change in the meantime; already-exists,
   * plan-limit-exceeded, unavailable
   */
  async update(
    of: TemplateKey,
    { sample, based_on, draft_revision, layout_id, ...rest }: UpdateTemplate,
  ): Promise<TemplateDetail | null> {
    const layoutId =
      layout_id === undefined
        ? ((await readAuthored(this.#database, of))?.layoutId ?? null)
        : layoutIn(layout_id);
    const fields = { ...rest, layoutId };
    const saved = await withUnchangedPieces(async () => {
      const checked = await this.#check(of.projectId, fields, sample);
      return updateTemplate(this.#database, of.projectId, of.templateId, fields, {
        checked,
        basedOn: timeIn(based_on),
        draft: revisionIn(draft_revision),
        sample,
      });
    });
    return saved === null ? null : this.get(of);
  }

  delete(projectId: string, templateId: string): Promise<boolean> {
    return deleteTemplate(this.#database, projectId, templateId);
  }

  /**
   * Stores the draft and tries it out.
   * @returns null if the project has no such template
   * @throws AppError validation-failed, with `revision` if another user has changed the draft; plan-limit-exceeded, unavailable
   */
  async saveDraft(
    of: TemplateKey,
    { based_on, revision, layout_id, ...rest }: SaveTemplateDraft,
  ): Promise<SavedTemplateDraft | null> {
    const draft = { ...rest, layoutId: layoutIn(layout_id) };
    const written = await writeDraft(this.#database, of, draft, {
      basedOn: timeIn(based_on),
      revision: revisionIn(revision),
    });
    if (written === undefined) return null;
    const trial = shown(await this.#try(of.projectId, draft));
    return { ...trial, revision: written === null ? null : encodeId('ver', written) };
  }

  async discardDraft(of: TemplateKey, revision: string | undefined): Promise<boolean> {
    await discardDraft(this.#database, of, revision === undefined ? undefined : uuidIn('ver', revision));
    return true;
  }

  /**
   * Tries out the draft with other values than its sample data. Stores nothing.
   * @param variables a JSON object
   * @returns null if the project has no such template
   * @throws AppError unavailable
   */
  async tryWith(of: TemplateKey, variables: string): Promise<TemplateTrial | null> {
    const sources = await this.#sources(of);
    return sources === undefined
      ? null
      : shown(await this.#try(of.projectId, { ...sources, sample: variables }));
  }

  /**
   * The result of filling the draft, with missing variables left empty. Null if the project has no such template.
   * @param variables a JSON object; undefined for the sample data
   */
  async preview(of: TemplateKey, variables?: string): Promise<{ html: string; text: string } | null> {
    const sources = await this.#sources(of);
    if (sources === undefined) return null;
    const sample = variables ?? sources.sample;
    const { filled, errors, fault } = await this.#try(of.projectId, { ...sources, sample });
    // The preview of a template without HTML shows the text, as mail apps do.
    const part = sources.html === '' ? 'text' : 'html';
    const error = errors[part];
    if (error !== undefined) return { html: '', text: `${part}: ${error}` };
    return { html: filled.html ?? '', text: filled.text || (fault ?? '') };
  }

  /** A starter, filled with its sample values. @throws AppError unavailable */
  async starterPreview(projectId: string, key: StarterKey): Promise<{ html: string; text: string }> {
    const { filled } = await this.#try(projectId, { ...starterOf(key), layoutId: null });
    return { html: filled.html ?? '', text: filled.text ?? '' };
  }

  /**
   * The content of an email with this template. Null if the project has no such template.
   * @throws AppError validation-failed if variables are missing or the template is invalid; unavailable
   */
  async filled(of: TemplateKey): Promise<FilledTemplate | null> {
    const sources = await this.#sources(of);
    if (sources === undefined) return null;
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
    const { subject, html, text, layoutId } = row;
    return { ...versionOf(row), subject, html, text, layout_id: layoutOut(layoutId) };
  }

  async #sources(of: TemplateKey): Promise<DraftFields | undefined> {
    return (await readDraft(this.#database, of)) ?? (await readAuthored(this.#database, of));
  }

  async #try(
    projectId: string,
    { subject, html, text, layoutId, sample }: DraftFields,
  ): Promise<TrialOfDraft> {
    const variables = objectIn(sample);
    const sources = { subject, html, text };
    const { pieces } = await readLibrary(this.#database, projectId);
    const task = { sources, layoutId, pieces, variables: variables ?? {} };
    const trial = await this.#thread.run(projectId, 'try', task);
    return variables === null
      ? { ...trial, errors: { ...trial.errors, sample: 'must be a JSON object' } }
      : trial;
  }

  async #check(projectId: string, fields: AuthoredTemplate, sample = NO_SAMPLE): Promise<CheckedTemplate> {
    const { pieces, revision } = await readLibrary(this.#database, projectId);
    const checked = await this.#thread.run(projectId, 'check', { fields, pieces });
    const errors = 'errors' in checked ? checked.errors : {};
    const wrong = objectIn(sample) === null ? { sample: 'must be a JSON object' } : {};
    if ('errors' in checked || 'sample' in wrong) throw validationError({ ...errors, ...wrong });
    return { ...checked, library: revision };
  }
}

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

function bodyOf({ subject, html, text, layoutId, sample }: DraftFields) {
  return { subject, html, text, layout_id: layoutOut(layoutId), sample };
}

const layoutOut = (layoutId: string | null): string | null =>
  layoutId === null ? null : encodeId('pce', layoutId);
const layoutIn = (id: string | null | undefined): string | null =>
  id === null || id === undefined ? null : uuidIn('pce', id);
const revisionIn = (id: string | null | undefined): string | null | undefined =>
  id === null || id === undefined ? id : uuidIn('ver', id);
const timeIn = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

/** The uuid of a public id. A malformed id becomes the nil uuid, which no object has. */
function uuidIn(prefix: 'pce' | 'ver', id: string): string {
  return decodeId(prefix, id) ?? NIL_UUID;
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
