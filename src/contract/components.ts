/** The components of the OpenAPI document: every schema with an `$id` that a file in this folder exports. */
import type { TSchema } from 'typebox';
import * as aliases from './aliases.ts';
import * as directory from './directory.ts';
import * as domains from './domains.ts';
import * as emails from './emails.ts';
import { EVENT_COMPONENTS } from './events.ts';
import * as mailboxes from './mailboxes.ts';
import * as problem from './problem.ts';
import * as routeMessages from './route-messages.ts';
import * as routes from './routes.ts';
import * as suppressions from './suppressions.ts';
import * as templates from './templates.ts';
import * as webhooks from './webhooks.ts';

export const COMPONENTS: readonly TSchema[] = [
  ...[emails, domains, mailboxes, aliases, webhooks, routes, routeMessages].flatMap(componentsOf),
  ...EVENT_COMPONENTS,
  ...[templates, directory, suppressions, problem].flatMap(componentsOf),
];

/** The components that a module exports. */
export function componentsOf(exported: object): TSchema[] {
  return Object.values(exported).filter((value: unknown): value is TSchema => {
    return typeof value === 'object' && value !== null && '$id' in value;
  });
}
