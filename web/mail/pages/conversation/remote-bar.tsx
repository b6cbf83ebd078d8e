import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { counted } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { ImageIcon } from '../../../ui/icons.tsx';
import { shownAddress } from '../../reading/people.ts';
import { messageQuery } from '../../reading/queries.ts';
import { useMailbox } from '../../shell/session.ts';

/** Offers to load the remote images of a message. */
export function RemoteBar({ message, onShow }: { message: MailMessage; onShow(): void }) {
  const { mailbox, access } = useMailbox();
  const queries = useQueryClient();
  const sender = message.from[0]?.address;
  const trust = useMutation({
    mutationFn: (address: string) =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/trusted-senders', {
          params: { path: { mailbox } },
          body: { address },
        }),
      ),
    onSuccess: async () => {
      onShow();
      await queries.invalidateQueries({ queryKey: messageQuery(mailbox, message.id).queryKey });
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-sunken px-3 py-2 text-sm">
      <p className="flex min-w-60 flex-1 items-start gap-2 text-muted">
        <ImageIcon className="mt-0.5" />
        {counted(message.remote.count, 'remote image')} blocked so that the sender cannot see that you read
        this message.
      </p>
      <Button onClick={onShow}>Show remote content</Button>
      {access === 'owner' && sender !== undefined && message.remote.may_trust && (
        <Button
          kind="quiet"
          className="max-w-full min-w-0 shrink"
          title={`Always show images from ${shownAddress(sender)}`}
          isBusy={trust.isPending}
          onClick={() => trust.mutate(sender)}
        >
          <span className="truncate">Always show images from {shownAddress(sender)}</span>
        </Button>
      )}
    </div>
  );
}
