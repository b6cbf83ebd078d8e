import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams, useRouter } from '@tanstack/react-router';
import { Fragment, Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { ServiceAway } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { ConnectionBanner, UnsentBanner } from '../../shell/banner.tsx';
import { Confirmation } from '../../shell/confirmation.tsx';
import { connect, useCurrentPages } from '../../shell/connection.ts';
import { Unreachable } from '../../shell/failures.tsx';
import { Frame, PAGE_SCROLLS, Waiting } from '../../shell/frame.tsx';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx';
import { useWatched } from '../../ui/watched.ts';
import { ComposeHost } from '../compose/host.tsx';
import { isLive } from '../reading/events.ts';
import { FolderMenu } from '../reading/folder-menu.tsx';
import { Reading } from '../reading/reading.tsx';
import { deviceSettings, forgetDevice, isOffline, isPushed, notifyOf, queuedOf } from './device-settings.ts';
import {
  accountAt,
  accountsQuery,
  actAs,
  areCopies,
  formerMemberAt,
  MailboxContext,
  ownOf,
  signedInTo,
} from './session.ts';
import { hasUploads, notSendingSince } from './state.ts';
import { MENU_NAME, TopBar } from './top-bar.tsx';

const ConfirmDialog = lazyPart(() => import('./confirm-dialog.tsx'));
const AccessEnded = lazyPart(() => import('./access-ended.tsx'));
const UploadsBar = lazyPart(() => import('../file-links/upload/uploads-bar.tsx'));
const OfflineCopy = lazyPart(() => import('../offline/offline-copy.tsx'), null);
// These have no notice, because users do not wait for them.
const Outbox = lazyPart(() => import('../outbox/outbox.tsx'), null);
const Notifier = lazyPart(() => import('../notify/notifier.tsx'), null);

const MENU_LINES = 6;
/** After this time, the page has loaded what it needs first. */
const IDLE_MS = 4_000;
const REFRESH_MS = 60_000;
const UNREACHABLE = 'Could not load your mail';

connect({
  onSignedOut({ mailbox = '' }) {
    // Remove the mailbox's data from this tab. The shell then redirects the pages of the mailbox to the sign-in.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(mailbox) });
    void forgetDevice(mailbox);
    void queryClient.invalidateQueries(accountsQuery);
  },
  probe: () => queryClient.fetchQuery({ ...accountsQuery, staleTime: 0, retry: false }),
  // Changes that were missed are fetched when the events of the mailbox are received again.
  onRecovered: () =>
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null }),
});

/** All pages of the mailbox that the URL names, with its folders beside them. */
export function Shell() {
  const { address = '' } = useParams({ strict: false });
  const key = address.toLowerCase();
  // Only the open mailbox and the user's own report changes, so the list of shared mailboxes and their unread counts are polled.
  const { data: accounts, error } = useQuery({ ...accountsQuery, refetchInterval: REFRESH_MS });
  const [before, setBefore] = useState<string>();
  const { state } = useRouter();
  useCurrentPages();
  const named = accountAt(accounts ?? [], key, before);
  const formerMember = formerMemberAt(accounts ?? [], key, before);
  const isEnded = named === undefined && formerMember !== undefined;
  // No one can sign in to a shared mailbox, so after a revocation the user's own mailbox is around the notice.
  const account = isEnded ? signedInTo(accounts ?? [], formerMember.mailbox) : named;
  const member = account && signedInTo(accounts ?? [], ownOf(account));
  useLayoutEffect(() => {
    if (accounts !== undefined && member !== undefined) actAs(accounts, member, isEnded ? null : key);
  }, [accounts, member, isEnded, key]);
  if (accounts === undefined)
    return error === null ? <Preparing /> : <Unreachable title={UNREACHABLE} error={error} />;
  if (named === undefined && areCopies(accounts))
    return <Unreachable title={UNREACHABLE} error={new ServiceAway()} />;
  if (account === undefined)
    return (
      <Navigate
        to="/sign-in"
        search={{ address: formerMember?.address ?? address, return: state.location.publicHref }}
        replace
      />
    );
  const { mailbox, display_name: displayName, shared } = account;
  const own = ownOf(account);
  if (own !== before) setBefore(own);
  const ownAddress = member?.address ?? account.address;
  const access = shared?.access ?? 'owner';
  return (
    <MailboxContext value={{ mailbox, address: account.address, displayName, own, ownAddress, access }}>
      {/* The key remounts the page when the mailbox changes, because a page caches data about one mailbox. */}
      <Fragment key={mailbox}>
        <Frame
          layout={PAGE_SCROLLS}
          menu={FolderMenu}
          menuName={MENU_NAME}
          topBar={<TopBar />}
          banners={<Banners />}
        >
          {isEnded ? (
            <Suspense fallback={null}>
              <AccessEnded address={address} own={account.address} />
            </Suspense>
          ) : (
            <Outlet />
          )}
        </Frame>
        <Reading />
        <Uploads />
        {shared === null && <OnDevice account={account} />}
      </Fragment>
      {/* The composer stays open while the user opens a shared mailbox, because the draft is in the user's own mailbox. */}
      <ComposeHost key={`compose ${own}`} />
      <Confirmation dialog={ConfirmDialog} />
    </MailboxContext>
  );
}

/** Opens the Inbox of the mailbox in the URL, or of the first mailbox. Without a session, opens the sign-in page. */
export function FirstMailbox() {
  const named: { address?: string } = useParams({ strict: false });
  const { data: accounts, error } = useQuery(accountsQuery);
  const address = named.address ?? accounts?.[0]?.address;
  if (address !== undefined)
    return <Navigate to="/$address/$folder" params={{ address, folder: 'inbox' }} replace />;
  if (accounts !== undefined) return <Navigate to="/sign-in" replace />;
  return error === null ? <Preparing /> : <Unreachable title={UNREACHABLE} error={error} />;
}

function Preparing() {
  const head = (
    <div className="px-2 pt-6 pb-4.5">
      <Skeleton className="h-6 w-32" />
    </div>
  );
  return (
    <Waiting head={head} menuLines={MENU_LINES} className="px-4 pt-6 sm:px-6">
      <SkeletonRows />
    </Waiting>
  );
}

/** Warns that the page may be out of date, or that no mail is sent until an operator fixes the configuration. */
function Banners() {
  const live = useWatched(isLive);
  return (
    <>
      <ConnectionBanner isLost={live === false} />
      <UnsentBanner since={useWatched(notSendingSince)}>
        Your messages are queued but not sent until the operators of this server fix its configuration.
      </UnsentBanner>
    </>
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

/** Features that are on for this mailbox on this device. The code of a feature is loaded only if the feature is on. */
function OnDevice({ account }: { account: MailAccount }) {
  useWatched(deviceSettings);
  const { mailbox } = account;
  const notify = notifyOf(mailbox);
  const { sends, actions } = queuedOf(mailbox);
  // Without a connection it would be too late to load the code that queues.
  useEffect(() => {
    const timer = setTimeout(() => {
      void import('../pages/outbox/page.tsx')
        .then(() => import('../outbox/outbox.tsx'))
        .then(() => import('../outbox/queue.ts'))
        .catch(() => undefined);
    }, IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Suspense fallback={null}>
      {isOffline(mailbox) && <OfflineCopy account={account} />}
      {sends + actions > 0 && <Outbox mailbox={mailbox} />}
      {notify !== 'off' && (
        <Notifier mailbox={mailbox} withContent={notify === 'content'} isPushed={isPushed(mailbox)} />
      )}
    </Suspense>
  );
}
