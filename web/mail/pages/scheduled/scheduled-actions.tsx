import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Outgoing } from '../../../../src/contract/mail/outgoing.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { MoreIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { identitiesQuery } from '../../compose/queries.ts';
import { timeWords } from '../../compose/send/later.ts';
import { LaterDialog } from '../../compose/send/later-dialog.tsx';
import { useUndoSend } from '../../compose/send/use-undo-send.ts';
import { useCompose } from '../../shell/compose.ts';

const DEFAULT_UNDO_SECONDS = 10;
const DEFAULT_DAYS = 365;

/** The actions on a scheduled message. Every action first makes the message a draft, then reschedules, sends or keeps the draft. */
export function ScheduledActions({ mailbox, outgoing }: { mailbox: string; outgoing: Outgoing }) {
  const compose = useCompose();
  const queries = useQueryClient();
  const tell = useUndoSend(mailbox);
  const { data: identities } = useQuery(identitiesQuery(mailbox));
  const [isChanging, setIsChanging] = useState(false);
  const name = outgoing.subject === '' ? 'No subject' : outgoing.subject;

  async function takeBack(): Promise<string> {
    const draft = await dataOf(
      api.POST('/mailboxes/{mailbox}/outgoing/{id}/cancel', {
        params: { path: { mailbox, id: outgoing.id } },
      }),
    );
    return draft.id;
  }
  const { mutate, isPending } = useMutation({
    async mutationFn(at: Date | 'now' | 'never') {
      const draft = await takeBack();
      if (at === 'never') {
        toast(`“${name}” moved back to Drafts`, { action: { label: 'Open', run: () => compose({ draft }) } });
        return;
      }
      const sent = await dataOf(
        api.POST('/mailboxes/{mailbox}/drafts/{id}/send', {
          params: { path: { mailbox, id: draft } },
          body: { send_at: at === 'now' ? null : at.toISOString() },
        }),
      ).catch((error: unknown) => {
        throw new Error(`“${name}” was moved to Drafts and will not be sent: ${messageOf(error)}`);
      });
      if (at === 'now') tell(sent, identities?.limits.undo_seconds ?? DEFAULT_UNDO_SECONDS);
      else toast(`“${name}” scheduled for ${timeWords(at)}`);
    },
    onError: (error) => toastFailure(error.name === 'Error' ? error.message : messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mail-outgoing', mailbox] }),
  });

  if (outgoing.status === 'refused') {
    const { draft } = outgoing;
    return draft === null ? null : <Button onClick={() => compose({ draft })}>Open draft</Button>;
  }
  return (
    <>
      <div className="flex gap-1">
        <Button isBusy={isPending} aria-label={`Cancel “${name}”`} onClick={() => mutate('never')}>
          Cancel
        </Button>
        <Menu
          trigger={
            <IconButton label={`More actions for “${name}”`} disabled={isPending}>
              <MoreIcon />
            </IconButton>
          }
        >
          <MenuItem onClick={() => mutate('now')}>Send now</MenuItem>
          <MenuItem onClick={() => setIsChanging(true)}>Change time…</MenuItem>
        </Menu>
      </div>
      {isChanging && (
        <LaterDialog
          before={new Date(outgoing.sends_at)}
          maxDays={identities?.limits.schedule_days ?? DEFAULT_DAYS}
          onClose={() => setIsChanging(false)}
          onChoose={(at) => {
            setIsChanging(false);
            mutate(at);
          }}
        />
      )}
    </>
  );
}
