/** Operations on the alerts of a user. `run.ts` implements them. */
import {
  AlertList,
  AlertTest,
  CreateAlert,
  CreatedAlert,
  CreateInstallationAlert,
  Alert,
  UpdateAlert,
  UpdateInstallationAlert,
} from '../contract/dashboard/alerts.ts';
import { declare } from '../contract/operation.ts';

const RESOURCE = { name: 'alert', prefix: 'alr' } as const;

export const ALERT_OPERATIONS = {
  listAlerts: declare({
    summary: "List the user's alerts for a project",
    success: { status: 200, description: 'The alerts.', body: AlertList },
    doors: { dashboard: { route: 'GET /projects/{project}/alerts', role: 'viewer' } },
  }),
  createAlert: declare({
    summary: 'Notify the user about problems of a project',
    body: CreateAlert,
    success: { status: 201, description: 'The alert, with the secret of a webhook.', body: CreatedAlert },
    errors: ['validation-failed', 'bad-request'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/alerts', role: 'viewer', needsConfirmation: true },
    },
  }),
  updateAlert: declare({
    summary: "Change one of the user's alerts for a project",
    body: UpdateAlert,
    success: { status: 200, description: 'The alert.', body: Alert },
    errors: ['validation-failed'],
    doors: {
      dashboard: { route: 'PUT /projects/{project}/alerts/{id}', role: 'viewer', resource: RESOURCE },
    },
  }),
  deleteAlert: declare({
    summary: "Remove one of the user's alerts for a project",
    success: { status: 204, description: 'Removed.' },
    doors: {
      dashboard: { route: 'DELETE /projects/{project}/alerts/{id}', role: 'viewer', resource: RESOURCE },
    },
  }),
  testAlert: declare({
    summary: 'Send a test message',
    description: 'At most one test in five seconds.',
    success: { status: 200, description: 'Whether it was delivered.', body: AlertTest },
    errors: ['rate-limited'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/alerts/{id}/test', role: 'viewer', resource: RESOURCE },
    },
  }),
  listInstallationAlerts: declare({
    summary: "List the user's alerts for the installation",
    success: { status: 200, description: 'The alerts.', body: AlertList },
    doors: { dashboard: { route: 'GET /system/alerts', role: 'operator' } },
  }),
  createInstallationAlert: declare({
    summary: 'Notify the user about problems of the installation',
    body: CreateInstallationAlert,
    success: { status: 201, description: 'The alert, with the secret of a webhook.', body: CreatedAlert },
    errors: ['validation-failed', 'bad-request'],
    doors: { dashboard: { route: 'POST /system/alerts', role: 'operator', needsConfirmation: true } },
  }),
  updateInstallationAlert: declare({
    summary: "Change one of the user's alerts for the installation",
    body: UpdateInstallationAlert,
    success: { status: 200, description: 'The alert.', body: Alert },
    errors: ['validation-failed'],
    doors: { dashboard: { route: 'PUT /system/alerts/{id}', role: 'operator', resource: RESOURCE } },
  }),
  deleteInstallationAlert: declare({
    summary: "Remove one of the user's alerts for the installation",
    success: { status: 204, description: 'Removed.' },
    doors: { dashboard: { route: 'DELETE /system/alerts/{id}', role: 'operator', resource: RESOURCE } },
  }),
  testInstallationAlert: declare({
    summary: 'Send a test message about the installation',
    description: 'At most one test in five seconds.',
    success: { status: 200, description: 'Whether it was delivered.', body: AlertTest },
    errors: ['rate-limited'],
    doors: { dashboard: { route: 'POST /system/alerts/{id}/test', role: 'operator', resource: RESOURCE } },
  }),
};
