import type { Logger } from 'pino';
import type { Certificates } from '../certificates/certificates.ts';
import type { Presence } from '../db/presence.ts';
import type { Assignment } from './assignment.ts';
import type { BaseCore } from './base-core.ts';
import type { Config } from './config.ts';

/** What every role is started with. */
export interface RoleContext {
  /** Closes the doors of the process, the last one opened first. The parts of the core outlive them. */
  stack: AsyncDisposableStack;
  core: BaseCore;
  assignment: Assignment;
  config: Config;
  logger: Logger;
  /** Knows of the other processes. */
  presence: Presence;
  /** What the ports of the process are secured with. */
  certificates: Certificates;
}
