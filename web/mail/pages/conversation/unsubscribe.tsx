import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useCompose } from '../../shell/compose.ts';
import { useMailbox } from '../../shell/session.ts';

const LINK = 'font-medium text-accent hover:underline';

interface UnsubscribeProps {
  id: string;
  from: NonNullable<MailMessage['unsubscribe']>;
}

/** Unsubscribes from a mailing list in the way that the sender specified, after a confirmation. */
export default function Unsubscribe({ id, from }: UnsubscribeProps) {
  const compose = useCompose();
  const { kind, host, address, subject, url } = from;
  return (
    <div className="text-sm text-muted">
      This came from a mailing list. {kind === 'one-click' && <OneClick id={id} host={host} />}
      {kind === 'mailto' && address !== null && (
        <button
          type="button"
          className={LINK}
          onClick={() =>
            compose({ to: `mailto:${address}?subject=${encodeURIComponent(subject ?? 'unsubscribe')}` })
          }
        >
          Write to {address} to unsubscribe
        </button>
      )}
      {kind === 'link' && url !== null && (
        <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
          Unsubscribe at {host}
        </a>
      )}
    </div>
  );
}

function OneClick({ id, host }: { id: string; host: string }) {
  const { mailbox } = useMailbox();
  const [isAsked, setIsAsked] = useState(false);
  const leave = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/messages/{id}/unsubscribe', { params: { path: { mailbox, id } } }),
      ),
    onSettled: () => setIsAsked(false),
  });
  if (leave.data !== undefined) return <span role="status">{leave.data.text}</span>;
  return (
    <>
      <button type="button" className={LINK} onClick={() => setIsAsked(true)}>
        Unsubscribe
      </button>
      <Dialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title="Unsubscribe from this list?"
        actions={
          <>
            <Button onClick={() => setIsAsked(false)}>Cancel</Button>
            <Button kind="primary" isBusy={leave.isPending} onClick={() => leave.mutate()}>
              Unsubscribe
            </Button>
          </>
        }
      >
        Posthorn will send the unsubscribe request to {host}. Your browser will not contact that server, and
        the sender will learn only that you read the message.
      </Dialog>
    </>
  );
}
