/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Alerts } from './alerts.ts';
import type { ALERT_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface AlertParts {
  alerts: Alerts;
}

export const run: Run<typeof ALERT_OPERATIONS, AlertParts> = {
  listAlerts: ({ alerts }, { projectId, principal: { userId } }) => alerts.list({ userId, projectId }),
  createAlert: ({ alerts }, { projectId, principal: { userId }, body }) =>
    alerts.create({ userId, projectId }, body),
  updateAlert: ({ alerts }, { projectId, principal: { userId }, id, body }) =>
    alerts.update({ userId, projectId }, id, body),
  deleteAlert: ({ alerts }, { projectId, principal: { userId }, id }) =>
    alerts.remove({ userId, projectId }, id),
  testAlert: ({ alerts }, { projectId, principal: { userId }, id }) => alerts.test({ userId, projectId }, id),
  listInstallationAlerts: ({ alerts }, { principal: { userId } }) => alerts.list({ userId, projectId: null }),
  createInstallationAlert: ({ alerts }, { principal: { userId }, body }) =>
    alerts.create({ userId, projectId: null }, body),
  updateInstallationAlert: ({ alerts }, { principal: { userId }, id, body }) =>
    alerts.update({ userId, projectId: null }, id, body),
  deleteInstallationAlert: ({ alerts }, { principal: { userId }, id }) =>
    alerts.remove({ userId, projectId: null }, id),
  testInstallationAlert: ({ alerts }, { principal: { userId }, id }) =>
    alerts.test({ userId, projectId: null }, id),
};
