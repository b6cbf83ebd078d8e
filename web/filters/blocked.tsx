import { useState } from 'react';
import { fieldErrors } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import type { BlockedCalls, BlockedSenders, PartProps } from './part.ts';

export interface BlockedProps extends PartProps<BlockedSenders, BlockedCalls> {
  /** Text about other ways to handle unwanted mail. */
  hint: string;
}

export function Blocked({ frame: PartFrame, query, calls, hint }: BlockedProps) {
  return (
    <PartFrame
      title="Blocked senders"
      description="Mail from blocked addresses and domains (including subdomains) is rejected, and the sender is notified."
    >
      {calls !== null && <BlockForm calls={calls} />}
      <Loaded query={query}>
        {(blocked) =>
          blocked.length === 0 ? (
            <EmptyState title="No blocked senders">{hint}</EmptyState>
          ) : (
            <ul
              aria-label="Blocked senders"
              className="max-h-[36rem] divide-y divide-line overflow-y-auto rounded-lg border border-line"
            >
              {blocked.map(({ sender, created_at: since }) => (
                <li key={sender} className="flex flex-wrap items-center gap-x-3 py-1.5 pr-2 pl-4">
                  <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
                    {sender}{' '}
                    <span className="text-sm text-muted">
                      <Time value={since} />
                    </span>
                  </span>
                  {calls !== null && <Unblock sender={sender} calls={calls} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </PartFrame>
  );
}

function BlockForm({ calls }: { calls: BlockedCalls }) {
  const [sender, setSender] = useState('');
  const block = useChange(calls.queryKey, () => calls.block(sender.trim()), null);
  return (
    <form
      noValidate
      className="mb-5 flex max-w-xl flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sender.trim() !== '') block.mutate(undefined, { onSuccess: () => setSender('') });
      }}
    >
      <Field
        label="Sender"
        isLabelHidden
        error={
          fieldErrors(block.error)['sender'] && 'Enter an address such as spam@shop.example, or a domain.'
        }
        className="min-w-0 flex-1 basis-60"
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="spam@x.example or x.example"
          value={sender}
          onChange={(event) => setSender(event.target.value)}
        />
      </Field>
      <Button type="submit" kind="primary" isBusy={block.isPending}>
        Block
      </Button>
    </form>
  );
}

function Unblock({ sender, calls }: { sender: string; calls: BlockedCalls }) {
  const unblock = useChange(calls.queryKey, () => calls.unblock(sender), null);
  return (
    <Button
      kind="quiet"
      aria-label={`Unblock ${sender}`}
      isBusy={unblock.isPending}
      onClick={() => unblock.mutate()}
    >
      Unblock
    </Button>
  );
}
