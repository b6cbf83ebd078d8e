/**
 * Which operation of the dashboard shows the same as one of the API: that is what whoever is signed in can try on the page. Only what reads, so a page
 * of the documentation changes nothing.
 */
import { DASHBOARD_OPERATIONS } from '../../dashboard/operations.ts';
import type { FoundOperation } from '../reference/document.ts';

/** @returns below the API of the dashboard, with `{project}` and perhaps `{id}`; null where there is none */
export function tryPathOf({ method, path }: Pick<FoundOperation, 'method' | 'path'>): string | null {
  if (method !== 'GET') return null;
  const same = `/projects/{project}${path.slice('/v1'.length)}`;
  return DASHBOARD_OPERATIONS.some((operation) => operation.method === 'GET' && operation.path === same)
    ? same
    : null;
}
