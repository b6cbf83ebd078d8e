/** Every page and its address. Each page is a chunk of its own, `pages/<page>/page.tsx`. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { NoSuchAddress, NoSuchPage, PageFailure } from './shell/failures.tsx';
import { Shell } from './shell/shell.tsx';

/** The state of a page is in its address, as words: `?project=prj_…&q=…`. */
type Search = Readonly<Record<string, string>>;

const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  search: { middlewares: [retainSearchParams(['project'])] },
  notFoundComponent: NoSuchAddress,
});

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

/** Within the shell: for people who are signed in. */
const inside = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => shellRoute, path, component: lazyRouteComponent(load) });
/** The ways in. */
const outside = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load) });

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    inside('/', () => import('./pages/start/page.tsx')),
    inside('/emails', () => import('./pages/emails/page.tsx')),
    inside('/emails/$id', () => import('./pages/email/page.tsx')),
    inside('/templates', () => import('./pages/templates/page.tsx')),
    inside('/templates/$id', () => import('./pages/template/page.tsx')),
    inside('/metrics', () => import('./pages/metrics/page.tsx')),
    inside('/api-keys', () => import('./pages/api-keys/page.tsx')),
    inside('/domains', () => import('./pages/domains/page.tsx')),
    inside('/domains/$id', () => import('./pages/domain/page.tsx')),
    inside('/directory', () => import('./pages/directory/page.tsx')),
    inside('/suppressions', () => import('./pages/suppressions/page.tsx')),
    inside('/webhooks', () => import('./pages/webhooks/page.tsx')),
    inside('/webhooks/$id', () => import('./pages/webhook/page.tsx')),
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
  // As the router's own base path, but the first page is at /dashboard, without a slash at its end.
  rewrite: {
    input({ url }) {
      url.pathname = url.pathname.replace(/^\/dashboard(?=\/|$)/, '') || '/';
      return url;
    },
    output({ url }) {
      url.pathname = url.pathname === '/' ? '/dashboard' : `/dashboard${url.pathname}`;
      return url;
    },
  },
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NoSuchPage,
  scrollRestoration: true,
  // Words stay words: by default values are written as JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search: Record<string, unknown>) {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
