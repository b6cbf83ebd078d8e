import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { messageOf } from '../../api/client.ts';
import { Failure } from '../../ui/empty-state.tsx';
import { useWatched } from '../../ui/watched.ts';
import { ComposeHost } from '../compose/host.tsx';
import { FolderMenu } from '../reading/folder-menu.tsx';
import { LiveBanner } from '../reading/live-banner.tsx';
import { Reading } from '../reading/reading.tsx';
import { Confirmation } from './confirmation.tsx';
import { connect, isOutdated } from './connect.ts';
import { accountsQuery, MailboxContext } from './session.ts';
import { OnDevice } from './on-device.tsx';
import { hasUploads, isMenuOpen } from './state.ts';
import { Unsent } from './unsent.tsx';
import { TopBar } from './top-bar.tsx';
import { Waiting } from './waiting.tsx';

const UploadsBar = lazy(() => import('../file-links/upload/uploads-bar.tsx'));
const MenuSheet = lazy(() => import('./menu-sheet.tsx'));

connect();

/** All pages of one mailbox, with its folders beside them: the one that the address names. */
export function Shell() {
  const { address = '' } = useParams({ strict: false });
  const { data: accounts, error } = useQuery(accountsQuery);
  const { state } = useRouter();
  useNavigation();
  const account = accounts?.find((each) => each.address === address.toLowerCase());
  if (accounts === undefined) return error === null ? <Waiting /> : <Unreachable error={error} />;
  if (account === undefined)
    return <Navigate to="/sign-in" search={{ address, return: state.location.publicHref }} replace />;
  const { mailbox, display_name: displayName } = account;
  return (
    <MailboxContext value={{ mailbox, address: account.address, displayName }}>
      <a
        href="#content"
        className="fixed top-2 left-2 z-30 -translate-y-20 rounded-md bg-raised px-3 py-2 shadow-high focus:translate-y-0"
      >
        Skip to the content
      </a>
      {/* What pages keep belongs to one mailbox. */}
      <div key={mailbox} className="h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <aside aria-label="Folders" className="hidden h-dvh border-r border-line bg-panel lg:block">
          <FolderMenu />
        </aside>
        <div className="grid h-dvh min-w-0 grid-rows-[auto_auto_minmax(0,1fr)]">
          <TopBar />
          <div>
            <LiveBanner />
            <Unsent />
          </div>
          <main id="content" tabIndex={-1} className="min-h-0 overflow-y-auto">
            <Outlet />
          </main>
        </div>
        <Reading />
        <ComposeHost />
        <Uploads />
        <OnDevice account={account} />
      </div>
      <Sheet />
      <Confirmation />
    </MailboxContext>
  );
}

function Sheet() {
  if (!useWatched(isMenuOpen)) return null;
  return (
    <Suspense fallback={null}>
      <MenuSheet onClose={() => isMenuOpen.set(false)} />
    </Suspense>
  );
}

function Uploads() {
  if (!useWatched(hasUploads)) return null;
  return (
    <Suspense fallback={null}>
      <UploadsBar />
    </Suspense>
  );
}

function useNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
        if (pathChanged && isOutdated()) location.assign(toLocation.publicHref);
      }),
    [router],
  );
}

function Unreachable({ error }: { error: Error }) {
  return (
    <main>
      <Failure title="Your mail cannot be shown" onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </main>
  );
}
