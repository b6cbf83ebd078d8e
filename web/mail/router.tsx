/** Every page and its address. Each page is a chunk of its own, `pages/<page>/page.tsx`. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { NoSuchPage, PageFailure } from './shell/failures.tsx';
import { FirstMailbox } from './shell/first-mailbox.tsx';
import { Shell } from './shell/shell.tsx';

/** The state of a page is in its address, as words: `?q=…&compose=…`. */
type Search = Readonly<Record<string, string>>;
type Load = Parameters<typeof lazyRouteComponent>[0];

const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(search)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    ),
  // Whatever is being written stays over every page of a mailbox.
  search: { middlewares: [retainSearchParams(['compose'])] },
  notFoundComponent: NoSuchPage,
});

/** What belongs to one mailbox. */
const mailboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$address',
  component: Shell,
});

const inside = <Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => mailboxRoute, path, component: lazyRouteComponent(load) });

/** A folder: `inbox`, `fld_…`, or `search`. The list and the conversation stand side by side. */
const folderRoute = inside('/$folder', () => import('./pages/list/page.tsx'));
const conversationRoute = createRoute({
  getParentRoute: () => folderRoute,
  path: '/$conversation',
  component: () => null,
});

const settingsRoute = inside('/settings', () => import('./pages/settings/page.tsx'));
const setting = <Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => settingsRoute, path, component: lazyRouteComponent(load) });

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstMailbox }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./pages/sign-in/page.tsx')),
  }),
  mailboxRoute.addChildren([
    createRoute({ getParentRoute: () => mailboxRoute, path: '/', component: FirstMailbox }),
    inside('/compose', () => import('./pages/compose/page.tsx')),
    inside('/scheduled', () => import('./pages/scheduled/page.tsx')),
    settingsRoute.addChildren([
      setting('/account', () => import('./pages/settings/account/page.tsx')),
      setting('/rules', () => import('./pages/settings/rules/page.tsx')),
      setting('/vacation', () => import('./pages/settings/vacation/page.tsx')),
      setting('/forwarding', () => import('./pages/settings/forwarding/page.tsx')),
      setting('/blocked', () => import('./pages/settings/blocked/page.tsx')),
      setting('/folders', () => import('./pages/settings/folders/page.tsx')),
      setting('/file-links', () => import('./pages/settings/file-links/page.tsx')),
      setting('/writing', () => import('./pages/settings/writing/page.tsx')),
      setting('/reading', () => import('./pages/settings/reading/page.tsx')),
      setting('/notifications', () => import('./pages/settings/notifications/page.tsx')),
    ]),
    folderRoute.addChildren([conversationRoute]),
  ]),
]);

export const router = createRouter({
  routeTree,
  // As the router's own base path, but the first page is at /mail, without a slash at its end.
  rewrite: {
    input({ url }) {
      url.pathname = url.pathname.replace(/^\/mail(?=\/|$)/, '') || '/';
      return url;
    },
    output({ url }) {
      url.pathname = url.pathname === '/' ? '/mail' : `/mail${url.pathname}`;
      return url;
    },
  },
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NoSuchPage,
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
