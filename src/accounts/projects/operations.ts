/** Operations on the projects of an organization. `run.ts` implements them. */
import { CreateProject, CreatedProject } from '../../contract/dashboard/organizations.ts';
import { ProjectSettings, Retention, UpdateProject } from '../../contract/dashboard/projects.ts';
import { declare } from '../../contract/operation.ts';

export const PROJECT_OPERATIONS = {
  createProject: declare({
    summary: 'Create a project',
    description: 'Only operators of the installation can choose its plan.',
    body: CreateProject,
    success: { status: 201, description: 'The project.', body: CreatedProject },
    errors: ['already-exists'],
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/projects',
        role: 'admin',
        needsConfirmation: true,
      },
    },
  }),
  getProjectSettings: declare({
    summary: 'Get the settings of a project',
    success: { status: 200, description: 'The settings.', body: ProjectSettings },
    doors: {
      dashboard: { route: 'GET /projects/{project}/settings', role: 'viewer' },
    },
  }),
  updateProject: declare({
    summary: 'Rename a project or change its settings',
    description:
      'Only operators of the installation can choose its plan. Servers apply a change within two seconds.',
    body: UpdateProject,
    success: { status: 204, description: 'The project is changed.' },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'PATCH /projects/{project}', role: 'admin' },
    },
  }),
  setRetention: declare({
    summary: 'Set the retention of emails and their bodies',
    description: 'Older emails and bodies are deleted within minutes and cannot be restored.',
    body: Retention,
    success: { status: 204, description: 'The retention is set.' },
    doors: {
      dashboard: { route: 'PUT /projects/{project}/retention', role: 'admin', needsConfirmation: true },
    },
  }),
};
