import { pino } from 'pino';
import { SECRET } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { type RunningRoles, startRoles } from './app.ts';
import type { Assignment } from './assignment.ts';
import type { Config } from './config.ts';
import { configuredPorts } from './ports.ts';

/** Starts these roles in this process, as the only process of the installation and without a log. The caller disposes of them. */
export function startTestRoles(
  { url }: { url: string },
  config: Config,
  roles: Assignment['roles'],
): Promise<RunningRoles> {
  const assignment: Assignment = {
    name: 'all',
    roles,
    databaseUrl: url,
    secret: SECRET,
    leaseId: newUuid(),
    deadLeaseIds: [],
    ports: configuredPorts(config),
  };
  return startRoles(assignment, config, pino({ level: 'silent' }), {
    figures: async () => ({ figures: [], missing: 0 }),
    listen: () => true,
  });
}
