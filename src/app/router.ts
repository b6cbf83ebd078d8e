import { Router } from '../receiving/route/router.ts';
import type { BaseCore } from './base-core.ts';

/** Creates the router that finds the mailboxes of an address, for incoming mail and for recipients of submitted mail. */
export function createRouter({ database, config, mailDomains, mxWatch }: BaseCore): Router {
  const { hostname, postmaster } = config;
  return new Router({ database, hostname, postmaster, ...mailDomains, mxWatch });
}
