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
import { FirstMailbox, Shell } from './shell/shell.tsx';

type Load = Parameters<typeof lazyRouteComponent>[0];

const HOME = 'Go to Inbox';
const PADDING = 'px-4 pt-6 sm:px-6';

const rootRoute = createRootRoute({
  validateSearch: searchOf,
  // The composer stays open when the user opens another page of the mailbox.
  search: { middlewares: [retainSearchParams(['compose'])] },
  notFoundComponent: () => (
    <main className={PADDING}>
      <NoSuchPage home={HOME} />
    </main>
  ),
});

const mailboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$address',
  component: Shell,
});

const inside = <Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => mailboxRoute, path, component: lazyRouteComponent(loadable(load)) });

/** A folder: `inbox`, `fld_…`, or `search`. The list and the conversation are side by side. */
const folderRoute = inside('/$folder', () => import('./pages/list/page.tsx'));
const conversationRoute = createRoute({
  getParentRoute: () => folderRoute,
  path: '/$conversation',
  component: () => null,
});

const settingsRoute = inside('/settings', () => import('./pages/settings/page.tsx'));
const setting = <Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => settingsRoute, path, component: lazyRouteComponent(loadable(load)) });

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstMailbox }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    component: lazyRouteComponent(loadable(() => import('./pages/sign-in/page.tsx'))),
  }),
  mailboxRoute.addChildren([
    createRoute({ getParentRoute: () => mailboxRoute, path: '/', component: FirstMailbox }),
    inside('/compose', () => import('./pages/compose/page.tsx')),
    inside('/people', () => import('./pages/people/page.tsx')),
    inside('/people/$person', () => import('./pages/person/page.tsx')),
    inside('/scheduled', () => import('./pages/scheduled/page.tsx')),
    inside('/outbox', () => import('./pages/outbox/page.tsx')),
    settingsRoute.addChildren([
      setting('/account', () => import('./pages/settings/account/page.tsx')),
      setting('/sharing', () => import('./pages/settings/sharing/page.tsx')),
      setting('/rules', () => import('./pages/settings/rules/page.tsx')),
      setting('/vacation', () => import('./pages/settings/vacation/page.tsx')),
      setting('/forwarding', () => import('./pages/settings/forwarding/page.tsx')),
      setting('/blocked', () => import('./pages/settings/blocked/page.tsx')),
      setting('/safe', () => import('./pages/settings/safe/page.tsx')),
      setting('/folders', () => import('./pages/settings/folders/page.tsx')),
      setting('/labels', () => import('./pages/settings/labels/page.tsx')),
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
  ...addressesBelow('/mail'),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => (
    <div className={PADDING}>
      <PageFailure error={error} />
    </div>
  ),
  defaultNotFoundComponent: () => (
    <div className={PADDING}>
      <NoSuchPage home={HOME} />
    </div>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
