import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { MoreIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useMay, useProject } from '../../shell/session.ts';
import { isLater } from '../emails/is-later.ts';
import { emailQuery } from './queries.ts';

type Command = 'cancel' | 'send-now' | 'try' | 'retry' | 'erase';

const COMMAND_RESULTS: Readonly<Record<Exclude<Command, 'cancel'>, string>> = {
  'send-now': 'Sending now.',
  try: 'Trying now. The result appears in the timeline.',
  retry: 'Retrying.',
  erase: 'Erased.',
};

/** Actions on an email in its header: cancel, send now and erase. */
export function EmailCommands({ email }: { email: InspectedEmail }) {
  const mayChange = useMay('developer');
  const mayErase = useMay('admin');
  const [confirming, setConfirming] = useState<'cancel' | 'erase' | null>(null);
  const { mutate, isPending } = useCommand(email.id, () => setConfirming(null));
  return (
    <>
      {mayErase && (
        <Menu
          trigger={
            <IconButton label="More" kind="secondary">
              <MoreIcon />
            </IconButton>
          }
        >
          <MenuItem icon={<TrashIcon />} isDanger onClick={() => setConfirming('erase')}>
            Erase email
          </MenuItem>
        </Menu>
      )}
      {mayChange && !email.is_done && <Button onClick={() => setConfirming('cancel')}>Cancel</Button>}
      {mayChange && isLater(email) && (
        <Button isBusy={isPending} onClick={() => mutate('send-now')}>
          Send now
        </Button>
      )}
      <AlertDialog
        isOpen={confirming === 'cancel'}
        onClose={() => setConfirming(null)}
        title="Cancel this email?"
        action="Cancel email"
        isBusy={isPending}
        onConfirm={() => mutate('cancel')}
      >
        <p>Recipients who have not received it yet will not get it. Copies already delivered stay.</p>
      </AlertDialog>
      <AlertDialog
        isOpen={confirming === 'erase'}
        onClose={() => setConfirming(null)}
        title="Erase this email?"
        action="Erase"
        isBusy={isPending}
        onConfirm={() => mutate('erase')}
      >
        <p>
          Its content, {email.recipients.length === 1 ? 'recipient' : `${email.recipients.length} recipients`}
          , timeline and webhook log are permanently deleted.
          {!email.is_done && ' Recipients who have not received it yet will not get it.'}
        </p>
      </AlertDialog>
    </>
  );
}

export function useCommand(id: string, onDone: () => void = () => {}) {
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (command: Command) => perform(command, { project: project.id, id }),
    async onSuccess(_, command) {
      const query = emailQuery(project.id, id);
      if (command === 'cancel') {
        const email = await queries.fetchQuery({ ...query, staleTime: 0 }).catch(() => null);
        toast(email === null ? 'Cancelled.' : cancelledWords(email));
        return;
      }
      toast(COMMAND_RESULTS[command]);
      if (command === 'erase') {
        queries.removeQueries({ queryKey: query.queryKey });
        void navigate({ to: '/emails' });
      } else void queries.invalidateQueries({ queryKey: query.queryKey });
    },
    onError: (error) => toastFailure(messageOf(error)),
    onSettled: onDone,
  });
}

/** Says for how many recipients the email was canceled. It is not canceled for recipients to whom it has been sent or is being sent. */
function cancelledWords({ recipients, events }: InspectedEmail): string {
  const cancelled = new Set(
    events.flatMap(({ event: { type, recipient, detail } }) =>
      type === 'failed' && detail.reason === 'cancelled' ? recipient : [],
    ),
  ).size;
  if (cancelled >= recipients.length) return 'Cancelled.';
  return `Cancelled for ${cancelled} of ${recipients.length} recipients. See the timeline for the others.`;
}

function perform(command: Command, path: { project: string; id: string }): Promise<unknown> {
  const params = { path };
  switch (command) {
    case 'cancel':
      return dataOf(api.POST('/projects/{project}/emails/{id}/cancel', { params }));
    case 'send-now':
      return dataOf(api.POST('/projects/{project}/emails/{id}/send-now', { params }));
    case 'try':
      return dataOf(api.POST('/projects/{project}/emails/{id}/try', { params }));
    case 'retry':
      return dataOf(api.POST('/projects/{project}/emails/{id}/retry', { params }));
    case 'erase':
      return dataOf(api.DELETE('/projects/{project}/emails/{id}', { params }));
  }
}
