import { useEffect } from 'react';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { forgetDevice, isOffline } from '../shell/device-settings.ts';
import { copyState } from './copy-state.ts';
import { dropCopy } from './drop-copy.ts';
import { SessionEnded, updateCopy } from './update-copy.ts';
import { registerWorker } from './register.ts';

/** Chunks that pages load on demand. The copy must contain these chunks. */
const SHOWING = import.meta.glob([
  '../pages/list/page.tsx',
  '../pages/compose/page.tsx',
  '../pages/outbox/page.tsx',
  '../compose/panel.tsx',
  '../compose/send/later-dialog.tsx',
  '../outbox/*.ts',
  '../pages/conversation/invitation-card.tsx',
  '../pages/conversation/message-details.tsx',
  '../pages/conversation/unsubscribe.tsx',
]);

const FIRST_MS = 2_000;
const AGAIN_MS = 5 * 60_000;

/** Updates the offline copy while the mailbox is open. */
export default function OfflineCopy({ account }: { account: MailAccount }) {
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const update = async (): Promise<void> => {
      copyState.set('keeping');
      try {
        // Load the pages that show mail, so that the copy contains them.
        await Promise.all(Object.values(SHOWING).map((load) => load()));
        await registerWorker();
        await updateCopy(account, end.signal);
        copyState.set('kept');
      } catch (error) {
        if (error instanceof SessionEnded) await forgetDevice(account.mailbox);
        else if (end.signal.aborted) await leave(account.mailbox);
        if (!end.signal.aborted) copyState.set(navigator.onLine ? 'failed' : 'kept');
        if (error instanceof DOMException && error.name === 'QuotaExceededError') copyState.set('full');
      }
      if (!end.signal.aborted) timer = setTimeout(() => void update(), AGAIN_MS);
    };
    timer = setTimeout(() => void update(), FIRST_MS);
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [account]);
  return null;
}

/** Deletes the copy if the user has turned it off. After a reload or a change of page, the copy remains. */
async function leave(mailbox: string): Promise<void> {
  if (!isOffline(mailbox)) await dropCopy(mailbox);
}
