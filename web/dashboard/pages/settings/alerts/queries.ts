import { queryOptions } from '@tanstack/react-query';
import type {
  CreateAlert,
  CreateInstallationAlert,
  UpdateAlert,
  UpdateInstallationAlert,
} from '../../../../../src/contract/dashboard/alerts.ts';
import type { Static } from 'typebox';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/dashboard.ts';

/** A project's id; null for the installation. */
export type Scope = string | null;

export const allAlerts = (scope: Scope) => ['alerts', scope];

export const alertsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: allAlerts(scope),
    queryFn: ({ signal }) =>
      scope === null
        ? dataOf(api.GET('/system/alerts', { signal }))
        : dataOf(api.GET('/projects/{project}/alerts', { params: { path: { project: scope } }, signal })),
  });

export const createAlert = (scope: Scope, body: CreateAlert) =>
  scope === null
    ? dataOf(api.POST('/system/alerts', { body: body as Static<typeof CreateInstallationAlert> }))
    : dataOf(
        api.POST('/projects/{project}/alerts', {
          params: { path: { project: scope } },
          body: body as Static<typeof CreateAlert>,
        }),
      );

export const updateAlert = (scope: Scope, id: string, body: UpdateAlert) =>
  scope === null
    ? dataOf(
        api.PUT('/system/alerts/{id}', {
          params: { path: { id } },
          body: body as Static<typeof UpdateInstallationAlert>,
        }),
      )
    : dataOf(
        api.PUT('/projects/{project}/alerts/{id}', {
          params: { path: { project: scope, id } },
          body: body as Static<typeof UpdateAlert>,
        }),
      );

export const removeAlert = (scope: Scope, id: string) =>
  scope === null
    ? dataOf(api.DELETE('/system/alerts/{id}', { params: { path: { id } } }))
    : dataOf(api.DELETE('/projects/{project}/alerts/{id}', { params: { path: { project: scope, id } } }));

export const testAlert = (scope: Scope, id: string) =>
  scope === null
    ? dataOf(api.POST('/system/alerts/{id}/test', { params: { path: { id } } }))
    : dataOf(api.POST('/projects/{project}/alerts/{id}/test', { params: { path: { project: scope, id } } }));
