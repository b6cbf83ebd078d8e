import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { dataOf } from '../../api/client.ts';
import { api, setCsrfToken } from '../../api/dashboard.ts';
import type { Session } from '../../../src/contract/dashboard/session.ts';

const STALE_MS = 60_000;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: STALE_MS,
  async queryFn({ signal }) {
    const session = await dataOf(api.GET('/session', { signal }));
    setCsrfToken(session.csrf_token);
    return session;
  },
});

/** The user's sign-in methods. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => dataOf(api.GET('/user', { signal })),
});

export type Project = Session['projects'][number];

/** The data that the shell loads before showing a page. */
interface ShellData {
  session: Session;
  project: Project;
}

export const ShellDataContext = createContext<ShellData | null>(null);

function useShellData(): ShellData {
  const data = use(ShellDataContext);
  if (data === null) throw new TypeError('this page is not within the shell');
  return data;
}

/** The signed-in user, and facts about the service. */
export function useSession(): Session {
  return useShellData().session;
}

/** The current project, with the user's role and permissions in it. */
export function useProject(): Project {
  return useShellData().project;
}

const ORDER = ['viewer', 'developer', 'admin', 'owner'] as const;

/** Whether the user has at least this role in the project. Pages hide what the user cannot do. */
export function useMay(role: Project['role']): boolean {
  return isAtLeast(useProject().role, role);
}

export function isAtLeast(role: Project['role'], least: Project['role']): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(least);
}

const LAST_PROJECT = 'posthorn-project';

/** The project in the URL, else the last used project, else the oldest project. Null if the URL names an unknown project. */
export function useChosenProject(requestedProject: string): {
  session: Session | undefined;
  project: Project | null;
  error: Error | null;
} {
  const { data: session, error } = useQuery(sessionQuery);
  const projects = session?.projects ?? [];
  const find = (id: string | null) => projects.find((project) => project.id === id);
  const project =
    requestedProject === ''
      ? (find(localStorage.getItem(LAST_PROJECT)) ?? projects[0])
      : find(requestedProject);
  return { session, project: project ?? null, error };
}

export function rememberProject(id: string): void {
  localStorage.setItem(LAST_PROJECT, id);
}
