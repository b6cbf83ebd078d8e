import { DASHBOARD_COMPONENTS } from '../../../contract/dashboard/components.ts';
import { browserDocument } from '../browser/document.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

export function dashboardDocument() {
  return browserDocument({
    title: 'Posthorn dashboard',
    description: "Internal to the dashboard's pages: it changes with them, without notice.",
    prefix: '/dashboard/api',
    cookie: '__Host-posthorn_session',
    operations: DASHBOARD_OPERATIONS,
    components: DASHBOARD_COMPONENTS,
    access: ({ role, needsConfirmation, elevated }) =>
      [
        `Role: \`${role}\`.`,
        ...(needsConfirmation === true ? ['Requires a recent confirmation of identity.'] : []),
        ...(elevated === undefined
          ? []
          : [
              `With \`${elevated.field}\`: requires role \`${elevated.role}\` and a recent confirmation of identity.`,
            ]),
      ].join(' '),
    refusals: ({ role, availability, needsConfirmation, elevated }) => [
      ...(role === 'anyone' ? [] : (['not-signed-in'] as const)),
      ...(role === 'anyone' || role === 'signed-in' ? [] : (['missing-role'] as const)),
      ...(role === 'anyone' || availability === 'session' ? [] : (['stronger-sign-in-required'] as const)),
      ...(needsConfirmation === true || elevated !== undefined ? (['confirmation-required'] as const) : []),
    ],
  });
}
