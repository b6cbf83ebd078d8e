/** Operations on templates, their drafts and versions, and on layouts and partials. `run.ts` implements them. */
import {
  CreatedTemplatePiece,
  CreateTemplatePiece,
  TemplatePieceDetail,
  TemplatePieceList,
  UpdateTemplatePiece,
} from '../contract/dashboard/template-pieces.ts';
import {
  CreatedTemplate,
  DiscardTemplateDraftQuery,
  SavedTemplateDraft,
  SaveTemplate,
  SaveTemplateDraft,
  SendTemplateTest,
  SentTemplateTest,
  StarterPreviewQuery,
  TemplateDetail,
  TemplatePreviewQuery,
  TemplateStarterList,
  TemplateSummaryList,
  TemplateVersion,
  TemplateVersionList,
  UpdateTemplate,
} from '../contract/dashboard/templates.ts';
import { Template, TemplateList } from '../contract/templates.ts';
import { declare } from '../contract/operation.ts';

const TEMPLATE = { name: 'template', prefix: 'tpl' } as const;
const PIECE = { name: 'layout or partial', prefix: 'pce' } as const;
const VERSION = { name: 'version of this template', prefix: 'ver' } as const;

export const TEMPLATE_OPERATIONS = {
  listTemplates: declare({
    summary: 'List templates',
    success: { status: 200, description: 'All templates.', body: TemplateList },
    doors: {
      api: { route: 'GET /templates', scope: 'templates:read', twin: 'listTemplates' },
    },
  }),
  listTemplateSummaries: declare({
    summary: 'List the templates of a project',
    success: { status: 200, description: 'The templates.', body: TemplateSummaryList },
    doors: {
      dashboard: { id: 'listTemplates', route: 'GET /projects/{project}/templates', role: 'viewer' },
    },
  }),
  listTemplateStarters: declare({
    summary: 'List the examples from which a new template can start',
    success: { status: 200, description: 'The starters.', body: TemplateStarterList },
    doors: {
      dashboard: { route: 'GET /projects/{project}/template-starters', role: 'developer' },
    },
  }),
  getStarterPreview: declare({
    summary: 'Preview a starter, filled with its sample values',
    description: 'A document for a frame, like the preview of an email.',
    query: StarterPreviewQuery,
    success: { status: 200, description: 'The document.', media: 'text/html' },
    raw: true,
    doors: {
      dashboard: { route: 'GET /projects/{project}/template-starters/preview', role: 'developer' },
    },
  }),
  createTemplate: declare({
    summary: 'Create a template',
    body: SaveTemplate,
    success: { status: 201, description: 'Created.', body: CreatedTemplate },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/templates', role: 'developer' },
    },
  }),
  getTemplate: declare({
    summary: 'Fetch a template',
    success: { status: 200, description: 'The template.', body: Template },
    doors: {
      api: { route: 'GET /templates/{id}', scope: 'templates:read', twin: 'getTemplate' },
    },
  }),
  getTemplateDetails: declare({
    summary: 'Get a template with its draft',
    success: { status: 200, description: 'The template.', body: TemplateDetail },
    doors: {
      dashboard: {
        id: 'getTemplate',
        route: 'GET /projects/{project}/templates/{id}',
        role: 'viewer',
        resource: TEMPLATE,
      },
    },
  }),
  updateTemplate: declare({
    summary: 'Publish a template',
    description: 'As a new version. Emails use it from now on, and its draft is deleted.',
    body: UpdateTemplate,
    success: { status: 200, description: 'The template.', body: TemplateDetail },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      dashboard: { route: 'PUT /projects/{project}/templates/{id}', role: 'developer', resource: TEMPLATE },
    },
  }),
  deleteTemplate: declare({
    summary: 'Delete a template, with its history',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/templates/{id}',
        role: 'developer',
        resource: TEMPLATE,
      },
      cli: {
        command: 'template delete',
        description: 'delete a template',
        example: '--project default --id tpl_01M7T5C5R3ED1R4CWSVK7YRETV',
        options: { project: 'the project that the template belongs to' },
        trueMember: 'deleted',
      },
    },
  }),
  saveTemplateDraft: declare({
    summary: 'Save and try out the draft of a template',
    description: 'A draft may have errors. Emails use the published template.',
    body: SaveTemplateDraft,
    success: { status: 200, description: 'The result of the draft.', body: SavedTemplateDraft },
    errors: ['plan-limit-exceeded'],
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/templates/{id}/draft',
        role: 'developer',
        resource: TEMPLATE,
      },
    },
  }),
  discardTemplateDraft: declare({
    summary: 'Discard the draft of a template',
    query: DiscardTemplateDraftQuery,
    success: { status: 204, description: 'Discarded.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/templates/{id}/draft',
        role: 'developer',
        resource: TEMPLATE,
      },
    },
  }),
  listTemplateVersions: declare({
    summary: 'List the versions of a template',
    success: { status: 200, description: 'The versions.', body: TemplateVersionList },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/templates/{id}/versions',
        role: 'viewer',
        resource: TEMPLATE,
      },
    },
  }),
  getTemplateVersion: declare({
    summary: 'Get a version of a template',
    success: { status: 200, description: 'The version.', body: TemplateVersion },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/templates/{id}/versions/{part}',
        role: 'viewer',
        resource: TEMPLATE,
        part: VERSION,
      },
    },
  }),
  getTemplatePreview: declare({
    summary: 'Preview the draft of a template, filled with the sample data or the values of the last email',
    description: 'A document for a frame, like the preview of an email. Missing variables are left empty.',
    query: TemplatePreviewQuery,
    success: { status: 200, description: 'The document.', media: 'text/html' },
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/templates/{id}/preview',
        role: 'viewer',
        resource: { name: 'template', prefix: 'tpl' },
      },
    },
  }),
  sendTemplateTest: declare({
    summary: 'Send the draft of a template to one address, filled with the sample data',
    description: 'With the rules of every email: verified domain, suppressions, plan and tracking.',
    body: SendTemplateTest,
    success: { status: 202, description: 'Queued.', body: SentTemplateTest },
    errors: ['domain-not-verified', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/templates/{id}/test',
        role: 'developer',
        resource: { name: 'template', prefix: 'tpl' },
      },
    },
  }),
  listTemplatePieces: declare({
    summary: 'List the layouts and partials of a project',
    success: { status: 200, description: 'The layouts and partials.', body: TemplatePieceList },
    doors: {
      dashboard: { route: 'GET /projects/{project}/template-pieces', role: 'viewer' },
    },
  }),
  createTemplatePiece: declare({
    summary: 'Create a layout or a partial',
    body: CreateTemplatePiece,
    success: { status: 201, description: 'Created.', body: CreatedTemplatePiece },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/template-pieces', role: 'developer' },
    },
  }),
  getTemplatePiece: declare({
    summary: 'Get a layout or a partial',
    success: { status: 200, description: 'The layout or partial.', body: TemplatePieceDetail },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/template-pieces/{id}',
        role: 'viewer',
        resource: PIECE,
      },
    },
  }),
  updateTemplatePiece: declare({
    summary: 'Publish a layout or a partial',
    description: 'In all templates that use it. The request is rejected if one of them would no longer work.',
    body: UpdateTemplatePiece,
    success: { status: 200, description: 'The layout or partial.', body: TemplatePieceDetail },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/template-pieces/{id}',
        role: 'developer',
        resource: PIECE,
      },
    },
  }),
  deleteTemplatePiece: declare({
    summary: 'Delete a layout or a partial that no template uses',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/template-pieces/{id}',
        role: 'developer',
        resource: PIECE,
      },
    },
  }),
};
