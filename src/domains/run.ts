/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import { AppError } from '../model/app-error.ts';
import type { Domains } from './domains.ts';
import type { DOMAIN_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface DomainParts {
  domains: Domains;
}

export const run: Run<typeof DOMAIN_OPERATIONS, DomainParts> = {
  listDomains: ({ domains }, { projectId }) => domains.list(projectId),
  listDomainSummaries: ({ domains }, { projectId }) => domains.listSummaries(projectId),
  createDomain: ({ domains }, { projectId, body }) => domains.create(projectId, body),
  getDomain: ({ domains }, { projectId, id }) => domains.get(projectId, id),
  getDomainDetails: ({ domains }, { projectId, id }) => domains.getDetails(projectId, id),
  deleteDomain: ({ domains }, { projectId, id }) => domains.remove(projectId, id),
  verifyDomain: ({ domains }, { projectId, id }) => domains.verify(projectId, id),
  // All requests that arrive while the domain is being checked share one further check.
  checkDomain: async ({ domains }, { projectId, id }) => {
    await domains.verify(projectId, id);
    return domains.getDetails(projectId, id);
  },
  verifyDomainManually: async ({ domains }, { principal, projectId, id }) => {
    // Attack: a member of a project sends from a domain that belongs to others.
    if (!principal.isOperator)
      throw new AppError('missing-role', 'Only operators of this installation can verify domains manually.', {
        extensions: { required_role: 'operator' },
      });
    return (await domains.verifyManually(projectId, id)) ? domains.getDetails(projectId, id) : null;
  },
  setDomainTracking: async ({ domains }, { projectId, id, body }) => {
    await domains.setTracking(projectId, id, body);
    return domains.getDetails(projectId, id);
  },
  startDkimRotation: async ({ domains }, { projectId, id }) => {
    await domains.startDkimRotation(projectId, id);
    return domains.getDetails(projectId, id);
  },
  cancelDkimRotation: async ({ domains }, { projectId, id }) => {
    await domains.cancelDkimRotation(projectId, id);
    return domains.getDetails(projectId, id);
  },
};
