/** Operations that delete projects and organisations, and erase a person. `run.ts` implements them. */
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
    summary: 'Count what all projects of an organisation have, before it is deleted or exported',
    success: { status: 200, description: 'The numbers.', body: ProjectContents },
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/contents', role: 'owner', confirms: true },
    },
  }),
  deleteOrganization: declare({
    summary: 'Delete an organisation with all its projects',
    description: 'People who belong to no other organisation are deleted too. Its audit log goes with it.',
    body: DeleteByName,
    success: { status: 204, description: 'It is deleted.' },
    doors: {
      dashboard: { route: 'DELETE /organizations/{organization}', role: 'owner', confirms: true },
    },
  }),
  previewRetention: declare({
    summary: 'Count what would be deleted if emails were kept for so long',
    query: RetentionQuery,
    success: { status: 200, description: 'The numbers.', body: RetentionPreview },
    doors: {
      dashboard: { route: 'GET /projects/{project}/retention/preview', role: 'admin' },
    },
  }),
  erasePerson: declare({
    summary: 'Erase what is kept of a person, by their address',
    description: 'In steps: see `next`. See docs/operate/retention.md, Erasing.',
    body: ErasePerson,
    success: { status: 200, description: 'What the step did.', body: ErasedStep },
    doors: {
      dashboard: { route: 'POST /projects/{project}/erasures', role: 'admin', confirms: true },
    },
  }),
  getProjectContents: declare({
    summary: 'Count what a project has, before it is deleted or exported',
    success: { status: 200, description: 'The numbers.', body: ProjectContents },
    doors: {
      dashboard: { route: 'GET /projects/{project}/contents', role: 'admin', confirms: true },
    },
  }),
  deleteProject: declare({
    summary: 'Delete a project with all that it has',
    description:
      'Its keys, domains and mailboxes are gone when it is answered, and nothing is sent any more. Emails and mail go in the background.',
    body: DeleteByName,
    success: { status: 204, description: 'It is deleted.' },
    doors: {
      dashboard: { route: 'DELETE /projects/{project}', role: 'owner', confirms: true },
    },
  }),
  eraseEmail: declare({
    summary: 'Erase an email with all that is known of it',
    description: 'What waits of it is not sent. See docs/operate/retention.md, Erasing.',
    success: { status: 204, description: 'Erased.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/emails/{id}',
        role: 'admin',
        confirms: true,
        resource: { name: 'email', prefix: 'em' },
      },
    },
  }),
  exportOrganization: declare({
    summary: 'Export all that is known of the projects of an organisation',
    description: 'As the export of a project, one project after the other.',
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: {
      dashboard: { route: 'GET /organizations/{organization}/export', role: 'owner', confirms: true },
    },
  }),
  exportProject: declare({
    summary: 'Export all that is known of a project',
    description:
      'A JSON object on each line, with one key that says what it is about (`project`, `emails`, `domains`, …). No secrets, and no mail of mailboxes. An export that breaks off was ended by an error, or with the session.',
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /projects/{project}/export', role: 'admin', confirms: true } },
  }),
};
