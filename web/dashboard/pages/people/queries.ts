/** Queries for the members of the current project's organization. */
import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Session } from '../../../../src/contract/dashboard/session.ts';
import { isAtLeast, type Project, useProject, useSession } from '../../shell/session.ts';

export type Role = Project['role'];

/** The organization of the current project, with the user's role in the organization. The role in the project may be lower. */
export function useOrganization(): Session['organizations'][number] {
  const { organizations } = useSession();
  const { organization_id: id, role } = useProject();
  return (
    organizations.find((each) => each.id === id) ?? {
      id,
      name: '',
      role,
      required_sign_in: null,
      lacks: null,
    }
  );
}

export function useMayInOrganization(role: Role): boolean {
  return isAtLeast(useOrganization().role, role);
}

export const membersQuery = (organization: string) =>
  queryOptions({
    queryKey: ['members', organization],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/organizations/{organization}/users', { params: { path: { organization } }, signal })),
  });

export const invitationsQuery = (organization: string) =>
  queryOptions({
    queryKey: ['invitations', organization],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/organizations/{organization}/invitations', { params: { path: { organization } }, signal }),
      ),
  });
