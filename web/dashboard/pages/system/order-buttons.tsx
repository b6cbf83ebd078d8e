import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { QueueDestination } from '../../../../src/contract/dashboard/system.ts';
import { Button } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { QUEUE } from './queries.ts';
import { recipients } from './words.ts';

type Order = 'hold' | 'resume' | 'try';

const GIVE = {
  hold: (domain: string) => dataOf(api.POST('/system/destinations/hold', { body: { domain } })),
  resume: (domain: string) => dataOf(api.POST('/system/destinations/resume', { body: { domain } })),
  try: (domain: string) => dataOf(api.POST('/system/destinations/try', { body: { domain } })),
};
const ORDER_RESULTS: Readonly<Record<Order, (domain: string) => string>> = {
  hold: (domain) => `Mail for ${domain} paused`,
  resume: (domain) => `Mail for ${domain} resumed`,
  try: (domain) => `Retrying ${domain}`,
};

/** @param onGiven called after the service has carried out the command */
export function useOrder(order: Order, onGiven: () => void = () => {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: GIVE[order],
    async onSuccess(_, domain) {
      await queries.invalidateQueries({ queryKey: QUEUE });
      toast(ORDER_RESULTS[order](domain));
      onGiven();
    },
  });
}

/** Buttons for the commands that the state of a destination allows. */
export function OrderButtons({ destination }: { destination: QueueDestination }) {
  const { domain, state, waiting, refused_senders, put_off } = destination;
  const [isAsking, setAsking] = useState(false);
  const tryNow = useOrder('try');
  const resume = useOrder('resume');
  const hold = useOrder('hold', () => setAsking(false));
  if (state === 'held')
    return (
      <Button aria-label={`Resume ${domain}`} isBusy={resume.isPending} onClick={() => resume.mutate(domain)}>
        Resume
      </Button>
    );
  return (
    <>
      {(state === 'closed' || refused_senders > 0 || put_off > 0) && (
        <Button
          aria-label={`Try now: ${domain}`}
          isBusy={tryNow.isPending}
          onClick={() => tryNow.mutate(domain)}
        >
          Try now
        </Button>
      )}
      <Button aria-label={`Pause ${domain}`} onClick={() => setAsking(true)}>
        Pause
      </Button>
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Pause mail for ${domain}?`}
        action="Pause"
        isBusy={hold.isPending}
        onConfirm={() => hold.mutate(domain)}
      >
        <p>
          {waiting === 0 ? 'No mail' : `No mail, including mail for ${recipients(waiting)} already queued,`}{' '}
          is sent there from any machine until you resume it. Nothing bounces in the meantime, however long
          that takes.
        </p>
        <p>Senders are not notified. Their emails stay queued.</p>
      </AlertDialog>
    </>
  );
}
