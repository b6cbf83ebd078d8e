import { Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { ConnectionBanner } from '../../shell/banner.tsx';
import { connect, useCurrentPages } from '../../shell/connection.ts';
import { Unreachable } from '../../shell/failures.tsx';
import { DOCUMENT_SCROLLS, Frame, Waiting } from '../../shell/frame.tsx';
import { useKeys } from '../../shell/keys.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Mark } from '../../ui/mark.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { useSearchParam } from '../../ui/search-params.ts';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx';
import { useWatched } from '../../ui/watched.ts';
import { Stopped, UnmetRequirementsBanner, Unsent } from './banners.tsx';
import { signOut } from './enter.ts';
import { unmetRequirementsOf } from './unmet-requirements.ts';
import { nameAt, usePages } from './pages.ts';
import { rememberProject, sessionQuery, ShellDataContext, useChosenProject } from './session.ts';
import { Sidebar } from './sidebar.tsx';
import { newCodes, overlay } from './state.ts';
import { MENU_NAME, TopBar } from './top-bar.tsx';

const Palette = lazyPart(() => import('./palette.tsx'));
const ProjectSearch = lazyPart(() => import('./project-search.tsx'));
const Help = lazyPart(() => import('./help.tsx'));
const FirstProject = lazyPart(() => import('../pages/settings/first-project.tsx'));
const StrongerSignIn = lazyPart(() => import('./stronger-sign-in.tsx'));

const MENU_LINES = 12;
const PAGE = 'mx-auto max-w-6xl px-4 pt-6 sm:px-6 lg:px-8';

/** All pages for signed-in users, with the menu around them. */
export function Shell() {
  const [requestedProject, setRequestedProject] = useSearchParam('project');
  const { session, project, error } = useChosenProject(requestedProject);
  useNavigation();
  // While new recovery codes are shown, the dashboard stays hidden, because the codes are shown only once.
  const hasNewCodes = useWatched(newCodes) !== null;
  const id = project?.id;
  useEffect(() => {
    if (id === undefined) return;
    rememberProject(id);
    if (requestedProject === '') setRequestedProject(id);
  });

  if (session === undefined)
    return error === null ? (
      <Preparing />
    ) : (
      <Unreachable title="Could not load the dashboard" error={error} />
    );
  if (hasNewCodes) return <StrongerSignInPage session={session} />;
  if (project === null) return <NoProject session={session} />;
  return (
    <ShellDataContext value={{ session, project }}>
      <Frame
        layout={DOCUMENT_SCROLLS}
        menu={Sidebar}
        menuName={MENU_NAME}
        asideName="Project and menu"
        topBar={<TopBar />}
        banners={
          <>
            <ConnectionBanner />
            <UnmetRequirementsBanner session={session} />
            <Stopped />
          </>
        }
        className={`${PAGE} pb-16`}
      >
        {/* The key remounts the page when the project changes, because a page caches data about one project. */}
        <Outlet key={project.id} />
      </Frame>
      <Overlays />
    </ShellDataContext>
  );
}

function Overlays() {
  useMenuKeys();
  const open = useWatched(overlay);
  const close = () => overlay.set(null);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'projects' && <ProjectSearch onClose={close} />}
      {open === 'help' && <Help onClose={close} />}
    </Suspense>
  );
}

const openPalette = () => overlay.set('palette');

/** Keyboard shortcuts on every page (docs/design.md, Keyboard). */
function useMenuKeys(): void {
  const navigate = useNavigate();
  const pages = usePages();
  useKeys({
    '?': () => overlay.set('help'),
    '/': focusSearch,
    ...Object.fromEntries(pages.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
  });
  useEffect(() => {
    // This shortcut also works while the user types.
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      openPalette();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Focuses the search field of the page, `<Input type="search">` within main. On a page without one, opens the palette. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) return openPalette();
  field.focus();
  field.select();
}

/** Redirects to the sign-in and moves the focus after navigation. */
function useNavigation(): void {
  const router = useRouter();
  useCurrentPages();
  useEffect(() => {
    connect({
      onSignedOut() {
        queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
        const { pathname, publicHref } = router.state.location;
        if (pathname === '/sign-in') return;
        void router.navigate({ to: '/sign-in', search: { return: publicHref }, replace: true });
      },
      // The reloaded session lists the organizations that are now inaccessible, and the shell then shows the set-up.
      onWeakSignIn: () => void queryClient.invalidateQueries({ queryKey: ['session'] }),
      probe: () => queryClient.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false }),
      onRecovered: () => void queryClient.invalidateQueries(),
    });
    return router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (pathChanged && fromLocation !== undefined)
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    });
  }, [router]);
}

/** Shows the name of the page while the session loads. */
function Preparing() {
  const { pathname } = useLocation();
  const name = nameAt(pathname);
  return (
    <Waiting
      head={<Brand className="h-17 px-2" />}
      menuLines={MENU_LINES}
      topBar={<Brand className="h-full px-4 lg:hidden" />}
      className={PAGE}
    >
      {/* Not a heading, so that tests and screen readers find only the heading of the loaded page. */}
      {name === undefined ? (
        <Skeleton className="mb-6 h-7 w-36" />
      ) : (
        <p aria-hidden="true" className="mb-6 text-xl font-semibold">
          {name}
        </p>
      )}
      <SkeletonRows />
    </Waiting>
  );
}

/** The logo, at the same position as in index.html. */
function Brand({ className }: { className: string }) {
  return (
    <p aria-hidden="true" className={classes('flex items-center gap-2.5 font-semibold', className)}>
      <Mark />
      Posthorn
    </p>
  );
}

function NoProject({ session }: { session: Session }) {
  if (unmetRequirementsOf(session).length > 0) return <StrongerSignInPage session={session} />;
  const hasOthers = session.projects.length > 0;
  return (
    <>
      <Unsent session={session} />
      <main className="mx-auto max-w-6xl px-4 pt-6">
        <PageHeader title="Project not found" />
        <EmptyState
          title={hasOthers ? 'Project not found' : 'You have no projects yet'}
          action={
            hasOthers && (
              <a href="/dashboard" className="font-medium text-accent hover:underline">
                Show another project
              </a>
            )
          }
        >
          {hasOthers
            ? 'It was deleted, or you have not been invited to it.'
            : 'A project has its own API keys, domains, mailboxes and emails.'}
        </EmptyState>
        {!hasOthers && (
          <Suspense fallback={null}>
            <FirstProject session={session} />
          </Suspense>
        )}
      </main>
    </>
  );
}

/** The page shown if an organization requires a stronger sign-in and no other project is accessible. */
function StrongerSignInPage({ session }: { session: Session }) {
  return (
    <>
      <Unsent session={session} />
      <main className="mx-auto max-w-3xl px-4 pt-6 pb-16">
        <PageHeader
          title="Additional sign-in step"
          description={session.user.email}
          actions={<Button onClick={() => void signOut()}>Sign out</Button>}
        />
        <Suspense fallback={<SkeletonRows />}>
          <StrongerSignIn session={session} />
        </Suspense>
      </main>
    </>
  );
}
