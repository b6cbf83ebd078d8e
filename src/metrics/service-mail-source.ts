/** Whether the installation can send its own mail: password resets and invitations. */
import type { Database } from '../db/database.ts';
import { SERVICE_MAIL_STATES, type ServiceMailStateName } from '../model/service-mail-states.ts';
import { instanceGauge } from '../observe/define.ts';
import { type FigureSource, withdrawAll } from './figures.ts';

const figures = {
  domain: instanceGauge(
    'posthorn_service_mail',
    'Whether the domain of POSTHORN_MAIL_FROM can send: 1 for its current state, 0 for the others.',
    { state: SERVICE_MAIL_STATES },
  ),
};

/** Reads the state of service mail. Null if no process has recorded its sender yet. */
export type ReadServiceMail = (database: Database) => Promise<ServiceMailStateName | null>;

/** The metric has no series until a process has recorded its sender. */
export function serviceMailSource(readState: ReadServiceMail): FigureSource {
  return {
    async read(database) {
      const state = await readState(database);
      if (state === null) return figures.domain.withdraw();
      for (const each of SERVICE_MAIL_STATES) figures.domain.set({ state: each }, each === state ? 1 : 0);
    },
    withdraw: () => withdrawAll(figures),
  };
}
