import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Button } from '../../../../ui/button.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { useChange } from '../use-change.ts';

/** Whose pictures are shown without being asked for. */
export function TrustedSenders() {
  const { mailbox } = useMailbox();
  const queryKey = ['trusted-senders', mailbox];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/trusted-senders', { params: { path: { mailbox } }, signal })),
  });
  const forget = useChange<string>(
    queryKey,
    (address) =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/trusted-senders', {
          params: { path: { mailbox } },
          body: { address, trusted: false },
        }),
      ),
    null,
  );
  if (data === undefined || data.data.length === 0) return null;
  return (
    <div className="mt-4">
      <h3 id="trusted" className="font-medium">
        Always shown for
      </h3>
      <ul aria-labelledby="trusted" className="mt-1 max-h-72 divide-y divide-line overflow-y-auto">
        {data.data.map(({ address }) => (
          <li key={address} className="flex items-center gap-3 py-1">
            <span className="min-w-0 flex-1 wrap-anywhere">{address}</span>
            <Button
              kind="quiet"
              aria-label={`Remove ${address}`}
              isBusy={forget.isPending && forget.variables === address}
              onClick={() => forget.mutate(address)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
