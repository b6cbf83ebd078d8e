import type { AlertMessage, AlertProblem } from '../channel.ts';
import type { Link } from './letter.ts';

type PageOf = { name: string; path: string; search?: Readonly<Record<string, string>> };

/** The page of the dashboard where a user can fix a problem, or see the emails; null if only operators can fix it. */
export function problemLink(
  problem: Pick<AlertProblem, 'kind' | 'resource'>,
  { project, links }: Pick<AlertMessage, 'project' | 'links'>,
): Link | null {
  const page = project === null ? SYSTEM : projectPage(problem);
  if (page === null) return null;
  // The link to the problems names the project.
  const url = new URL(links.problems);
  url.pathname = `/dashboard${page.path}`;
  for (const [name, value] of Object.entries(page.search ?? {})) url.searchParams.set(name, value);
  return { name: page.name, url: url.href };
}

const SYSTEM: PageOf = { name: 'Open System', path: '/system' };

function projectPage({ kind, resource }: Pick<AlertProblem, 'kind' | 'resource'>): PageOf | null {
  const id = encodeURIComponent(resource ?? '');
  switch (kind) {
    case 'stopped':
    case 'delayed':
      return { name: 'Show queued emails', path: '/emails', search: { q: 'status:queued' } };
    case 'bounces':
      return { name: 'Show bounced emails', path: '/emails', search: { q: 'status:bounced since:7d' } };
    case 'complaints':
      return { name: 'Show complaints', path: '/emails', search: { q: 'status:complained since:7d' } };
    case 'domain':
      return { name: 'Open domain', path: `/domains/${id}` };
    case 'webhook':
      return { name: 'Open webhook', path: `/webhooks/${id}` };
    case 'route':
      return { name: 'Open route', path: `/routes/${id}` };
    case 'mailbox':
      return { name: 'Open mailbox', path: `/mailboxes/${id}` };
    case 'plan':
      return { name: 'Open usage', path: '/usage' };
    case 'api-key':
      return { name: 'Open API keys', path: '/api-keys' };
    default:
      return null;
  }
}
