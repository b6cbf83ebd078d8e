/** Operations that delete projects and organizations, and erase people. `run.ts` implements them. */
import {
  DeleteByName,
  ErasePerson,
  ErasedStep,
  ProjectContents,
  RetentionPreview,
  RetentionQuery,
} from '../contract/dashboard/projects.ts';
import { declare } from '../contract/operation.ts';

export const RETENTION_OPERATIONS = {
  getOrganizationContents: declare({
    summary: 'Count the contents of all projects of an organization, before deleting or exporting it',
    success: { status: 200, description: 'The numbers.', body: ProjectContents },
    doors: {
      dashboard: {
        route: 'GET /organizations/{organization}/contents',
        role: 'owner',
        needsConfirmation: true,
      },
    },
  }),
  deleteOrganization: declare({
    summary: 'Delete an organization with all its projects',
    description: 'Members who belong to no other organization are deleted too, and so is its audit log.',
    body: DeleteByName,
    success: { status: 204, description: 'The organization is deleted.' },
    doors: {
      dashboard: { route: 'DELETE /organizations/{organization}', role: 'owner', needsConfirmation: true },
    },
  }),
  previewRetention: declare({
    summary: 'Preview how many emails a retention setting would delete',
    query: RetentionQuery,
    success: { status: 200, description: 'The numbers.', body: RetentionPreview },
    doors: {
      dashboard: { route: 'GET /projects/{project}/retention/preview', role: 'admin' },
    },
  }),
  erasePerson: declare({
    summary: 'Erase the data of a person, by their address',
    description: 'In steps: see `next`. See docs/operate/retention.md, Erasing.',
    body: ErasePerson,
    success: { status: 200, description: 'The result of the step.', body: ErasedStep },
    doors: {
      dashboard: { route: 'POST /projects/{project}/erasures', role: 'admin', needsConfirmation: true },
    },
  }),
  getProjectContents: declare({
    summary: 'Count the contents of a project, before deleting or exporting it',
    success: { status: 200, description: 'The numbers.', body: ProjectContents },
    doors: {
      dashboard: { route: 'GET /projects/{project}/contents', role: 'admin', needsConfirmation: true },
    },
  }),
  deleteProject: declare({
    summary: 'Delete a project and everything in it',
    description:
      'When the response arrives, its keys, domains and mailboxes are deleted, and nothing is sent any more. Emails and mail are deleted in the background.',
    body: DeleteByName,
    success: { status: 204, description: 'The project is deleted.' },
    doors: {
      dashboard: { route: 'DELETE /projects/{project}', role: 'owner', needsConfirmation: true },
    },
  }),
  eraseEmail: declare({
    summary: 'Erase an email and all data about it',
    description: 'Pending recipients are cancelled. See docs/operate/retention.md, Erasing.',
    success: { status: 204, description: 'Erased.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/emails/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  exportOrganization: declare({
    summary: 'Export all data of the projects of an organization',
    description: 'Like the export of a project, one project after the other.',
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: {
      dashboard: {
        route: 'GET /organizations/{organization}/export',
        role: 'owner',
        needsConfirmation: true,
      },
    },
  }),
  exportProject: declare({
    summary: 'Export all data of a project',
    description:
      'One JSON object per line, with one key that names its kind (`project`, `emails`, `domains`, …). No secrets, and no mail of mailboxes. A truncated export was ended by an error, or by the end of the session.',
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /projects/{project}/export', role: 'admin', needsConfirmation: true } },
  }),
};
