import { useState } from 'react';
import { fieldErrors } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import type { FailingTarget, MailboxForwarding } from '../../src/contract/mailbox-filing.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import type { ForwardingCalls, ForwardingState, PartProps } from './part.ts';

export function Forwarding({ frame: PartFrame, query, calls }: PartProps<ForwardingState, ForwardingCalls>) {
  const forwarding = query.data?.forwarding ?? null;
  return (
    <PartFrame
      title="Forwarding"
      status={
        query.data !== undefined && (forwarding === null ? <Badge>Off</Badge> : <Badge tone="good">On</Badge>)
      }
      description="Forwards incoming mail, unchanged, to another address. Mail in Junk and mail deleted by a rule is not forwarded."
      actions={forwarding !== null && calls !== null && <End to={forwarding.to} calls={calls} />}
    >
      <Loaded query={query}>
        {(state) => (
          <>
            <FailingTargets failing={state.failing} />
            {calls === null ? (
              <Summary forwarding={state.forwarding} />
            ) : (
              // A changed target resets the form.
              <ForwardingForm key={JSON.stringify(state.forwarding)} state={state} calls={calls} />
            )}
          </>
        )}
      </Loaded>
    </PartFrame>
  );
}

function Summary({ forwarding }: { forwarding: MailboxForwarding | null }) {
  if (forwarding === null) return <p>Only rules forward mail.</p>;
  return (
    <p>
      All mail is forwarded to <span className="font-medium wrap-anywhere">{forwarding.to}</span>,{' '}
      {forwarding.keep ? 'and a copy stays here.' : 'and no copy stays here.'}
    </p>
  );
}

/** Warnings about targets that rejected the last forwarded message. */
function FailingTargets({ failing }: { failing: readonly FailingTarget[] }) {
  return failing.map(({ to, failures, since, off_since: offSince, reply }) => (
    <div key={to} className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn">
      <p>
        <span className="font-medium wrap-anywhere">{to}</span>{' '}
        {offSince === null ? (
          <>
            rejected {failures} {failures === 1 ? 'message' : 'messages in a row'}, the first{' '}
            <Time value={since} />.
          </>
        ) : (
          <>
            was turned off <Time value={offSince} />, after {failures} failures in a row. Save the forwarding
            again to retry.
          </>
        )}
      </p>
      <p className="mt-1 font-mono text-sm wrap-anywhere">{reply}</p>
    </div>
  ));
}

function End({ to, calls }: { to: string; calls: ForwardingCalls }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const end = useChange(calls.queryKey, calls.end, 'Forwarding turned off');
  return (
    <>
      <Button onClick={() => setOpen(true)}>Turn off</Button>
      <AlertDialog
        isOpen={isOpen}
        onClose={close}
        title="Turn off forwarding?"
        action="Turn off"
        isBusy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: close })}
      >
        <p>Only rules still forward mail to {to}. All mail stays in this mailbox.</p>
      </AlertDialog>
    </>
  );
}

function ForwardingForm({ state, calls }: { state: ForwardingState; calls: ForwardingCalls }) {
  const { forwarding, failing } = state;
  const [to, setTo] = useState(forwarding?.to ?? '');
  const [keeps, setKeeps] = useState(forwarding?.keep ?? true);
  const set = useChange(
    calls.queryKey,
    () => calls.set({ to: to.trim(), keep: keeps }),
    'Forwarding turned on. It takes effect within two seconds',
  );
  // A failing target can be saved unchanged, to retry forwarding.
  const isSame =
    to.trim() === forwarding?.to &&
    keeps === forwarding.keep &&
    failing.every((each) => each.to !== to.trim());
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
        hint="When off, only mail that the other address rejects is delivered to the Inbox."
        checked={keeps}
        onChange={(event) => setKeeps(event.target.checked)}
      />
      <div>
        <Button kind="primary" type="submit" isBusy={set.isPending} disabled={isSame}>
          {forwarding === null ? 'Turn on' : 'Save'}
        </Button>
        <p className="mt-2 text-sm text-muted">
          You may be asked to confirm your identity. This keeps someone at your unlocked computer from
          redirecting mail.
        </p>
      </div>
    </form>
  );
}
