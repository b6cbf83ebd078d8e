import { DASHBOARD_COMPONENTS } from '../../../contract/dashboard/components.ts';
import { browserDocument } from '../browser/document.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

/** The OpenAPI document of the dashboard. */
export function dashboardDocument() {
  return browserDocument({
    title: 'Posthorn dashboard',
    description: 'For the pages of the dashboard alone: it changes with them.',
    prefix: '/dashboard/api',
    cookie: '__Host-posthorn_session',
    operations: DASHBOARD_OPERATIONS,
    components: DASHBOARD_COMPONENTS,
    access: ({ role, confirms }) =>
      `Role: \`${role}\`.${confirms === true ? ' Asks again who is there.' : ''}`,
    refusals: ({ role, confirms }) => [
      ...(role === 'anyone' ? [] : (['not-signed-in'] as const)),
      ...(role === 'anyone' || role === 'signed-in' ? [] : (['missing-role'] as const)),
      ...(confirms === true ? (['confirmation-required'] as const) : []),
    ],
  });
}
