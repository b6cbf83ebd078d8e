/** Every page and its path. Each page is a separate chunk, `pages/<page>/page.tsx`. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { addressesBelow, searchOf } from '../shell/addresses.ts';
import { loadable } from '../shell/code.ts';
import { NoSuchPage, PageFailure } from '../shell/failures.tsx';
import { HOME } from './shell/pages.ts';
import { Shell } from './shell/shell.tsx';

const rootRoute = createRootRoute({
  validateSearch: searchOf,
  search: { middlewares: [retainSearchParams(['project'])] },
  // The page for unknown paths has no menu.
  notFoundComponent: () => (
    <main className="px-4 pt-6 sm:px-6">
      <NoSuchPage home={HOME} />
    </main>
  ),
});

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

/** A page inside the shell, for signed-in users. */
const inside = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => shellRoute, path, component: lazyRouteComponent(loadable(load)) });
/** A page outside the shell, for signing in. */
const outside = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(loadable(load)) });

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    inside('/', () => import('./pages/start/page.tsx')),
    inside('/emails', () => import('./pages/emails/page.tsx')),
    inside('/emails/$id', () => import('./pages/email/page.tsx')),
    inside('/templates', () => import('./pages/templates/page.tsx')),
    inside('/templates/$id', () => import('./pages/template/page.tsx')),
    inside('/templates/pieces/$id', () => import('./pages/template-piece/page.tsx')),
    inside('/metrics', () => import('./pages/metrics/page.tsx')),
    inside('/api-keys', () => import('./pages/api-keys/page.tsx')),
    inside('/api-log', () => import('./pages/api-log/page.tsx')),
    inside('/domains', () => import('./pages/domains/page.tsx')),
    inside('/domains/$id', () => import('./pages/domain/page.tsx')),
    inside('/directory', () => import('./pages/directory/page.tsx')),
    inside('/suppressions', () => import('./pages/suppressions/page.tsx')),
    inside('/webhooks', () => import('./pages/webhooks/page.tsx')),
    inside('/webhooks/$id', () => import('./pages/webhook/page.tsx')),
    inside('/routes', () => import('./pages/routes/page.tsx')),
    inside('/routes/$id', () => import('./pages/route/page.tsx')),
    inside('/mailboxes', () => import('./pages/mailboxes/page.tsx')),
    inside('/mailboxes/$id', () => import('./pages/mailbox/page.tsx')),
    inside('/aliases', () => import('./pages/aliases/page.tsx')),
    inside('/file-links', () => import('./pages/file-links/page.tsx')),
    inside('/people', () => import('./pages/people/page.tsx')),
    inside('/usage', () => import('./pages/usage/page.tsx')),
    inside('/audit', () => import('./pages/audit/page.tsx')),
    inside('/settings', () => import('./pages/settings/page.tsx')),
    inside('/system', () => import('./pages/system/page.tsx')),
    inside('/account', () => import('./pages/account/page.tsx')),
  ]),
  outside('/sign-in', () => import('./pages/sign-in/page.tsx')),
  outside('/openid', () => import('./pages/openid/page.tsx')),
  outside('/welcome', () => import('./pages/welcome/page.tsx')),
  outside('/reset', () => import('./pages/reset/page.tsx')),
  outside('/invitation', () => import('./pages/invitation/page.tsx')),
]);

export const router = createRouter({
  routeTree,
  ...addressesBelow('/dashboard'),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: () => <NoSuchPage home={HOME} />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
