/** Operations on organizations. `run.ts` implements them. */
import { CreatedOrganization, RenameOrganization } from '../../contract/dashboard/organizations.ts';
import { declare } from '../../contract/operation.ts';

export const ORGANIZATION_OPERATIONS = {
  createOrganization: declare({
    summary: 'Create an organization',
    description: 'The caller becomes its first owner. It is separate from all other organizations.',
    body: RenameOrganization,
    success: { status: 201, description: 'The organization.', body: CreatedOrganization },
    doors: {
      dashboard: { route: 'POST /organizations', role: 'operator' },
    },
  }),
  updateOrganization: declare({
    summary: 'Rename an organization',
    body: RenameOrganization,
    success: { status: 204, description: 'The organization is renamed.' },
    doors: {
      dashboard: { route: 'PATCH /organizations/{organization}', role: 'owner' },
    },
  }),
};
