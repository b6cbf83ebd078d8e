import { Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { messageOf } from '../../api/client.ts';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, Failure } from '../../ui/empty-state.tsx';
import { Mark } from '../../ui/mark.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx';
import { AwayBanner } from './away-banner.tsx';
import { connect, isOutdated } from './connect.ts';
import { lacksOf } from './lacks.ts';
import { LacksBanner } from './lacks-banner.tsx';
import { nameAt, usePages } from './pages.ts';
import { useSearchParam } from '../../ui/search-params.ts';
import { rememberProject, StandingContext, useChosenProject } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import { signOut } from './sign-out.ts';
import { Sidebar } from './sidebar.tsx';
import { useWatched } from '../../ui/watched.ts';
import { newCodes, overlay } from './state.ts';
import { TopBar } from './top-bar.tsx';
import { Unsent } from './unsent.tsx';

const Palette = lazy(() => import('./palette.tsx'));
const Help = lazy(() => import('./help.tsx'));
const MenuSheet = lazy(() => import('./menu-sheet.tsx'));

const FirstProject = lazy(() => import('../pages/settings/first-project.tsx'));

const StrongerSignIn = lazy(() => import('./stronger-sign-in.tsx'));

const MENU_LINES = 12;

/** All pages for people who are signed in, with the menu around them. */
export function Shell() {
  const [asked, setAsked] = useSearchParam('project');
  const { session, project, error } = useChosenProject(asked);
  useNavigation();
  // The session may be open by now, but the codes are shown once.
  const hasNewCodes = useWatched(newCodes) !== null;
  const id = project?.id;
  useEffect(() => {
    if (id === undefined) return;
    rememberProject(id);
    if (asked === '') setAsked(id);
  });

  if (session === undefined) return error === null ? <Waiting /> : <Unreachable error={error} />;
  if (hasNewCodes) return <Shut session={session} />;
  if (project === null) return <NoProject session={session} />;
  return (
    <StandingContext value={{ session, project }}>
      <a
        href="#content"
        className="fixed top-2 left-2 z-30 -translate-y-20 rounded-md bg-raised px-3 py-2 shadow-high focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <aside
          aria-label="Project and menu"
          className="sticky top-0 hidden h-dvh border-r border-line bg-panel lg:block"
        >
          <Sidebar />
        </aside>
        <div className="min-w-0">
          <TopBar />
          <AwayBanner />
          <LacksBanner session={session} />
          <Unsent session={session} />
          <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-6 pb-16 sm:px-6 lg:px-8">
            {/* What pages keep belongs to one project. */}
            <Outlet key={project.id} />
          </main>
        </div>
      </div>
      <Overlays />
    </StandingContext>
  );
}

function Overlays() {
  useKeys();
  const open = useWatched(overlay);
  const close = () => overlay.set(null);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'help' && <Help onClose={close} />}
      {open === 'menu' && <MenuSheet onClose={close} />}
    </Suspense>
  );
}

function useKeys(): void {
  const navigate = useNavigate();
  const pages = usePages();
  useShortcuts({
    go(key) {
      const page = pages.find((each) => each.key === key);
      if (page !== undefined) void navigate({ to: page.to });
      return page !== undefined;
    },
    openPalette: () => overlay.set('palette'),
    openHelp: () => overlay.set('help'),
  });
}

/** The way to sign in, and where the focus is after a step. */
function useNavigation(): void {
  const router = useRouter();
  useEffect(() => {
    connect({
      toSignIn() {
        const { pathname, publicHref } = router.state.location;
        if (pathname === '/sign-in') return;
        void router.navigate({ to: '/sign-in', search: { return: publicHref }, replace: true });
      },
    });
    const unsubscribe = [
      router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
        if (pathChanged && isOutdated()) location.assign(toLocation.publicHref);
      }),
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation !== undefined)
          document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
      }),
    ];
    return () => {
      for (const each of unsubscribe) each();
    };
  }, [router]);
}

/** The places of all that comes, so that nothing moves, and the name of the page, so that there is something to read. */
function Waiting() {
  const { pathname } = useLocation();
  const name = nameAt(pathname);
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="hidden h-dvh border-r border-line bg-panel px-3 lg:block">
        <Brand className="h-17 px-2" />
        <div className="grid gap-3.5 px-2 pt-3">
          {Array.from({ length: MENU_LINES }, (_, at) => (
            <Skeleton key={at} className="h-4.5 w-24" />
          ))}
        </div>
      </div>
      <div>
        <div className="h-13 border-b border-line">
          <Brand className="h-full px-4 lg:hidden" />
        </div>
        <main className="mx-auto max-w-6xl px-4 pt-6 sm:px-6 lg:px-8">
          {/* No heading yet: whoever looks for one, as tests and screen readers do, finds that of the page. */}
          {name === undefined ? (
            <Skeleton className="mb-6 h-7 w-36" />
          ) : (
            <p aria-hidden="true" className="mb-6 text-xl font-semibold">
              {name}
            </p>
          )}
          <SkeletonRows />
        </main>
      </div>
    </div>
  );
}

/** Where index.html has it, too. */
function Brand({ className }: { className: string }) {
  return (
    <p aria-hidden="true" className={classes('flex items-center gap-2.5 font-semibold', className)}>
      <Mark />
      Posthorn
    </p>
  );
}

function Unreachable({ error }: { error: Error }) {
  return (
    <main>
      <Failure title="The dashboard cannot be shown" onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </main>
  );
}

function NoProject({ session }: { session: Session }) {
  if (lacksOf(session).length > 0) return <Shut session={session} />;
  const hasOthers = session.projects.length > 0;
  return (
    <>
      <Unsent session={session} />
      <main className="mx-auto max-w-6xl px-4 pt-6">
        <PageHeader title="No such project" />
        <EmptyState
          title={hasOthers ? 'There is no such project' : 'You are in no project'}
          action={
            hasOthers && (
              <a href="/dashboard" className="font-medium text-accent hover:underline">
                Show another project
              </a>
            )
          }
        >
          {hasOthers
            ? 'It was deleted, or it belongs to people who have not invited you.'
            : 'A project has keys, domains and mailboxes of its own, and a log of its emails.'}
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

/** An organisation requires more than the session has proved, and nothing else is open. */
function Shut({ session }: { session: Session }) {
  return (
    <>
      <Unsent session={session} />
      <main className="mx-auto max-w-3xl px-4 pt-6 pb-16">
        <PageHeader
          title="One more step to sign in"
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
