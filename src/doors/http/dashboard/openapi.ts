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
    access: ({ role, confirms, elevated }) =>
      [
        `Role: \`${role}\`.`,
        ...(confirms === true ? ['Asks again who is there.'] : []),
        ...(elevated === undefined
          ? []
          : [`With \`${elevated.field}\`: role \`${elevated.role}\`, and asks again who is there.`]),
      ].join(' '),
    refusals: ({ role, serves, confirms, elevated }) => [
      ...(role === 'anyone' ? [] : (['not-signed-in'] as const)),
      ...(role === 'anyone' || role === 'signed-in' ? [] : (['missing-role'] as const)),
      ...(role === 'anyone' || serves === 'session' ? [] : (['stronger-sign-in-required'] as const)),
      ...(confirms === true || elevated !== undefined ? (['confirmation-required'] as const) : []),
    ],
  });
}
