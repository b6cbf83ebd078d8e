/** Operations on organisations. `run.ts` implements them. */
import { CreatedOrganization, RenameOrganization } from '../../contract/dashboard/organizations.ts';
import { declare } from '../../contract/operation.ts';

export const ORGANIZATION_OPERATIONS = {
  createOrganization: declare({
    summary: 'Make an organisation',
    description: 'Whoever makes it is its first owner. It is apart from all others.',
    body: RenameOrganization,
    success: { status: 201, description: 'The organisation.', body: CreatedOrganization },
    doors: {
      dashboard: { route: 'POST /organizations', role: 'operator' },
    },
  }),
  updateOrganization: declare({
    summary: 'Rename an organisation',
    body: RenameOrganization,
    success: { status: 204, description: 'It is renamed.' },
    doors: {
      dashboard: { route: 'PATCH /organizations/{organization}', role: 'owner' },
    },
  }),
};
