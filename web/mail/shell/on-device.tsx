import { lazy, Suspense } from 'react';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { useWatched } from '../../ui/watched.ts';
import { deviceSettings, isOffline, notifyOf } from './device-settings.ts';

const Keeper = lazy(() => import('../offline/keeper.tsx'));
const Notifier = lazy(() => import('../notify/notifier.tsx'));

/** What was switched on for a mailbox on this device. Nothing of it is loaded where nothing was. */
export function OnDevice({ account }: { account: MailAccount }) {
  useWatched(deviceSettings);
  const { mailbox } = account;
  const notify = notifyOf(mailbox);
  return (
    <Suspense fallback={null}>
      {isOffline(mailbox) && <Keeper account={account} />}
      {notify !== 'off' && <Notifier mailbox={mailbox} withContent={notify === 'content'} />}
    </Suspense>
  );
}
