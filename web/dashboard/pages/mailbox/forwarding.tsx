import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MailboxFiling } from '../../../../src/contract/mailbox-filing.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { useMay } from '../../shell/session.ts';
import type { PartProps } from './part-props.ts';
import { useFilingChange } from './use-filing-change.ts';

interface ForwardingProps extends PartProps {
  filing: Pick<MailboxFiling, 'forwarding' | 'failing'>;
}

export function Forwarding({ of: key, mailbox, filing }: ForwardingProps) {
  const isAdmin = useMay('admin');
  const [isOpen, setOpen] = useState<'set' | 'end' | null>(null);
  const close = () => setOpen(null);
  const { forwarding, failing } = filing;
  const end = useFilingChange(
    key,
    () =>
      dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/forwarding', { params: { path: { ...key } } })),
    'Forwarding is off',
  );
  return (
    <Card
      title="Forwarding"
      aside={
        isAdmin && (
          <span className="flex flex-wrap gap-2">
            {forwarding !== null && <Button onClick={() => setOpen('end')}>Switch off</Button>}
            <Button onClick={() => setOpen('set')}>{forwarding === null ? 'Set up' : 'Change'}</Button>
          </span>
        )
      }
    >
      {forwarding === null ? (
        <p className="text-muted">Nothing goes on to another address, but what rules forward.</p>
      ) : (
        <p>
          All mail goes on to <span className="font-medium wrap-anywhere">{forwarding.to}</span>,{' '}
          {forwarding.keep ? 'and a copy stays here.' : 'and no copy stays here.'}
        </p>
      )}
      {failing.map(({ to, failures, since, off_since: offSince, reply }) => (
        <div key={to} className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <p>
            <span className="font-medium wrap-anywhere">{to}</span>{' '}
            {offSince === null ? (
              <>
                refused {failures} {failures === 1 ? 'message' : 'messages'} in a row, the first{' '}
                <Time value={since} />.
              </>
            ) : (
              <>
                was switched off <Time value={offSince} />, after {failures} failures in a row. Set it up
                again to try it anew.
              </>
            )}
          </p>
          <p className="mt-1 font-mono text-sm wrap-anywhere">{reply}</p>
        </div>
      ))}
      {isOpen === 'set' && <SetForwarding of={key} mailbox={mailbox} filing={filing} onClose={close} />}
      <AlertDialog
        isOpen={isOpen === 'end'}
        onClose={close}
        title="Switch off forwarding?"
        action="Switch off"
        isBusy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: close })}
      >
        <p>
          {forwarding?.to} gets nothing more, but what rules forward. Mail stays in {mailbox.address}.
        </p>
      </AlertDialog>
    </Card>
  );
}

function SetForwarding({ of: key, mailbox, filing, onClose }: ForwardingProps & { onClose(): void }) {
  const [to, setTo] = useState(filing.forwarding?.to ?? '');
  const [keeps, setKeeps] = useState(filing.forwarding?.keep ?? true);
  const set = useFilingChange(
    key,
    () =>
      dataOf(
        api.PUT('/projects/{project}/mailboxes/{id}/forwarding', {
          params: { path: { ...key } },
          body: { to: to.trim(), keep: keeps },
        }),
      ),
    'Forwarding is on: it counts for mail that comes two seconds from now',
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => set.mutate(undefined, { onSuccess: onClose })}
      title="Forward all mail"
      description={`What comes to ${mailbox.address} goes on as it came. What is in Junk does not.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Forward
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Forward to" error={fieldErrors(set.error)['to']}>
          <Input
            type="email"
            required
            autoComplete="off"
            placeholder="anna@acme.example"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </Field>
        <Checkbox
          label="Keep a copy here"
          hint="Without one, what the other address refuses comes back into the Inbox."
          checked={keeps}
          onChange={(event) => setKeeps(event.target.checked)}
        />
      </div>
    </Dialog>
  );
}
