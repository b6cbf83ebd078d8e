import { useState } from 'react';
import { dataOf, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Button } from '../../../../ui/button.tsx';
import { canPush } from '../../../push/push.ts';

interface PushStateProps {
  mailbox: string;
  isPushed: boolean;
  /** Subscribes again. */
  onRetry(): void;
}

/** Says when notifications arrive, and lets the user test them. */
export function PushState({ mailbox, isPushed, onRetry }: PushStateProps) {
  const [result, setResult] = useState<{ isGood: boolean; text: string } | null>(null);
  const test = async () => {
    setResult(null);
    try {
      const { delivered, error } = await dataOf(
        api.POST('/mailboxes/{mailbox}/push/test', { params: { path: { mailbox } } }),
      );
      setResult(
        delivered
          ? { isGood: true, text: 'The test notification was sent. It appears in a moment.' }
          : { isGood: false, text: `The test notification was not sent: ${error ?? ''}` },
      );
    } catch (error) {
      setResult({ isGood: false, text: messageOf(error) });
    }
  };
  if (!isPushed)
    return (
      <div className="mt-3 grid justify-items-start gap-3">
        <p className="text-muted">
          {canPush()
            ? 'This browser could not subscribe to notifications, so they appear only while this mailbox is open in a background tab.'
            : 'In this browser, notifications appear only while this mailbox is open in a background tab.'}
        </p>
        {canPush() && <Button onClick={onRetry}>Try again</Button>}
      </div>
    );
  return (
    <div className="mt-3 grid justify-items-start gap-3">
      <p className="text-muted">Notifications arrive even if no page of the mailbox is open.</p>
      <Button onClick={() => void test()}>Send test notification</Button>
      {result !== null && (
        <p role="status" className={result.isGood ? 'text-muted' : 'text-bad'}>
          {result.text}
        </p>
      )}
    </div>
  );
}
