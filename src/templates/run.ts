/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import { STARTER_KEYS } from '../model/template-starters.ts';
import type { TEMPLATE_OPERATIONS } from './operations.ts';
import type { PiecePages } from './piece-pages.ts';
import { starterOf } from './starters/starters.ts';
import type { TemplatePages } from './template-pages.ts';
import type { Templates } from './templates.ts';

/** The objects that the operations work with. */
export interface TemplateParts {
  templatePages: TemplatePages;
  piecePages: PiecePages;
  templates: Templates;
}

export const run: Run<typeof TEMPLATE_OPERATIONS, TemplateParts> = {
  listTemplates: async ({ templates }, { projectId }) => ({ data: await templates.list(projectId) }),
  listTemplateSummaries: ({ templatePages }, { projectId }) => templatePages.list(projectId),
  listTemplateStarters: async () => ({ data: STARTER_KEYS.map(starterOf) }),
  createTemplate: ({ templatePages }, { projectId, body }) => templatePages.create(projectId, body),
  getTemplate: ({ templates }, { projectId, id }) => templates.get(projectId, id),
  getTemplateDetails: ({ templatePages }, { projectId, id }) =>
    templatePages.get({ projectId, templateId: id }),
  updateTemplate: ({ templatePages }, { projectId, id, body }) =>
    templatePages.update({ projectId, templateId: id }, body),
  deleteTemplate: ({ templatePages }, { projectId, id }) => templatePages.delete(projectId, id),
  saveTemplateDraft: ({ templatePages }, { projectId, id, body }) =>
    templatePages.saveDraft({ projectId, templateId: id }, body),
  discardTemplateDraft: ({ templatePages }, { projectId, id, query }) =>
    templatePages.discardDraft({ projectId, templateId: id }, query.revision),
  listTemplateVersions: ({ templatePages }, { projectId, id }) => templatePages.versions(projectId, id),
  getTemplateVersion: ({ templatePages }, { projectId, id, partId }) =>
    templatePages.version(projectId, id, partId),
  listTemplatePieces: ({ piecePages }, { projectId }) => piecePages.list(projectId),
  createTemplatePiece: ({ piecePages }, { projectId, body }) => piecePages.create(projectId, body),
  getTemplatePiece: ({ piecePages }, { projectId, id }) => piecePages.get(projectId, id),
  updateTemplatePiece: ({ piecePages }, { projectId, id, body }) => piecePages.update(projectId, id, body),
  deleteTemplatePiece: ({ piecePages }, { projectId, id }) => piecePages.delete(projectId, id),
};
