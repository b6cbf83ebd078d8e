/** Operations on organisations. `run.ts` implements them. */
import { CreatedOrganization, RenameOrganization } from '../../contract/dashboard/organizations.ts';
import { declare } from '../../contract/operation.ts';

export const ORGANIZATION_OPERATIONS = {
  createOrganization: declare({
    summary: 'Create an organisation',
    description: 'The caller becomes its first owner. It is separate from all other organisations.',
    body: RenameOrganization,
    success: { status: 201, description: 'The organisation.', body: CreatedOrganization },
    doors: {
      dashboard: { route: 'POST /organizations', role: 'operator' },
    },
  }),
  updateOrganization: declare({
    summary: 'Rename an organisation',
    body: RenameOrganization,
    success: { status: 204, description: 'The organisation is renamed.' },
    doors: {
      dashboard: { route: 'PATCH /organizations/{organization}', role: 'owner' },
    },
  }),
};
