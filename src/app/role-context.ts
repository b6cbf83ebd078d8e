import type { Logger } from 'pino';
import type { Certificates } from '../certificates/certificates.ts';
import type { Presence } from '../db/presence.ts';
import type { SharedStatements } from '../db/shared-statements.ts';
import type { Assignment } from './assignment.ts';
import type { BaseCore } from './base-core.ts';
import type { Config } from './config.ts';

/** The inputs of every role. */
export interface RoleContext {
  /** The listeners and services that roles open are added here. When the process ends, they are closed in reverse order, before the core. */
  stack: AsyncDisposableStack;
  core: BaseCore;
  assignment: Assignment;
  config: Config;
  logger: Logger;
  /** Tracks the other processes. */
  presence: Presence;
  /** Statements that share a commit with the heartbeats of the process. */
  shared: SharedStatements;
  /** The certificates for the ports of the process. */
  certificates: Certificates;
}
