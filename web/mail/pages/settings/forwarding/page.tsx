import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxForwarding } from '../../../../../src/contract/mailbox-filing.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../loaded.tsx';
import { forwardingQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';
import { FailingTargets } from './failing-targets.tsx';

export default function ForwardingPage() {
  const { mailbox } = useMailbox();
  const query = forwardingQuery(mailbox);
  const found = useQuery(query);
  const forwarding = found.data?.forwarding ?? null;
  const [isEnding, setEnding] = useState(false);
  const end = useChange(
    query.queryKey,
    () => dataOf(api.DELETE('/mailboxes/{mailbox}/forwarding', { params: { path: { mailbox } } })),
    'Forwarding is off',
  );
  return (
    <>
      <PageHeader
        title="Forwarding"
        status={
          found.data !== undefined &&
          (forwarding === null ? <Badge>Off</Badge> : <Badge tone="good">On</Badge>)
        }
        description="What comes goes on to another address, as it came. What is in Junk does not, nor what a rule deletes."
        actions={forwarding !== null && <Button onClick={() => setEnding(true)}>Switch off</Button>}
      />
      <Loaded query={found}>
        {(data) => (
          <>
            <FailingTargets failing={data.failing} />
            <ForwardingForm key={JSON.stringify(data.forwarding)} forwarding={data.forwarding} />
          </>
        )}
      </Loaded>
      <AlertDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title="Switch off forwarding?"
        action="Switch off"
        isBusy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: () => setEnding(false) })}
      >
        <p>{forwarding?.to} gets nothing more, but what rules forward. Mail stays here.</p>
      </AlertDialog>
    </>
  );
}

function ForwardingForm({ forwarding }: { forwarding: MailboxForwarding | null }) {
  const { mailbox } = useMailbox();
  const [to, setTo] = useState(forwarding?.to ?? '');
  const [keeps, setKeeps] = useState(forwarding?.keep ?? true);
  const set = useChange(
    forwardingQuery(mailbox).queryKey,
    () =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/forwarding', {
          params: { path: { mailbox } },
          body: { to: to.trim(), keep: keeps },
        }),
      ),
    'Forwarding is on: it counts for mail that comes two seconds from now',
  );
  const isSame = forwarding !== null && to.trim() === forwarding.to && keeps === forwarding.keep;
  return (
    <form
      noValidate
      className="grid max-w-xl gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate();
      }}
    >
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
      <div>
        <Button kind="primary" type="submit" isBusy={set.isPending} disabled={isSame}>
          {forwarding === null ? 'Forward' : 'Save'}
        </Button>
        <p className="mt-2 text-sm text-muted">
          You are asked who you are, unless you were within the last ten minutes: nobody who finds this
          browser open is to send your mail elsewhere.
        </p>
      </div>
    </form>
  );
}
