import { useState } from 'react';
import { fieldErrors } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import type { ListedSenders, PartProps, SenderCalls } from './part.ts';

interface SenderListProps extends PartProps<ListedSenders, SenderCalls> {
  /** Text below the title of an empty list. */
  hint: string;
}

interface ListTexts {
  title: string;
  description: string;
  none: string;
  add: string;
  remove: string;
  /** The name of the field for a new sender. */
  field: string;
  /** An example in this field. */
  example: string;
}

const BLOCKED: ListTexts = {
  title: 'Blocked senders',
  description:
    'Mail from blocked addresses and domains (including subdomains) is rejected, and the sender is notified.',
  none: 'No blocked senders',
  add: 'Block',
  remove: 'Unblock',
  field: 'Sender',
  example: 'spam@x.example or x.example',
};

const SAFE: ListTexts = {
  title: 'Safe senders',
  description:
    'Mail from these addresses and domains (including subdomains) never goes to Junk, if SPF, DKIM or DMARC prove that it is from them.',
  none: 'No safe senders',
  add: 'Add',
  remove: 'Remove',
  field: 'Safe sender',
  example: 'friend@x.example or x.example',
};

export function BlockedSenders(props: SenderListProps) {
  return <SenderList {...props} texts={BLOCKED} />;
}

export function SafeSenders(props: SenderListProps) {
  return <SenderList {...props} texts={SAFE} />;
}

function SenderList({ frame: PartFrame, query, calls, hint, texts }: SenderListProps & { texts: ListTexts }) {
  const { title, description, none } = texts;
  return (
    <PartFrame title={title} description={description}>
      {calls !== null && <SenderForm calls={calls} texts={texts} />}
      <Loaded query={query}>
        {(senders) =>
          senders.length === 0 ? (
            <EmptyState title={none}>{hint}</EmptyState>
          ) : (
            <ul
              aria-label={title}
              className="max-h-[36rem] divide-y divide-line overflow-y-auto rounded-lg border border-line"
            >
              {senders.map(({ sender, created_at: since }) => (
                <li key={sender} className="flex flex-wrap items-center gap-x-3 py-1.5 pr-2 pl-4">
                  <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
                    {sender}{' '}
                    <span className="text-sm text-muted">
                      <Time value={since} />
                    </span>
                  </span>
                  {calls !== null && <RemoveSender sender={sender} calls={calls} verb={texts.remove} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </PartFrame>
  );
}

function SenderForm({ calls, texts }: { calls: SenderCalls; texts: ListTexts }) {
  const [sender, setSender] = useState('');
  const add = useChange(calls.queryKey, () => calls.add(sender.trim()), null);
  return (
    <form
      noValidate
      className="mb-5 flex max-w-xl flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sender.trim() !== '') add.mutate(undefined, { onSuccess: () => setSender('') });
      }}
    >
      <Field
        label={texts.field}
        isLabelHidden
        error={fieldErrors(add.error)['sender'] && 'Enter an address such as name@shop.example, or a domain.'}
        className="min-w-0 flex-1 basis-60"
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={texts.example}
          value={sender}
          onChange={(event) => setSender(event.target.value)}
        />
      </Field>
      <Button type="submit" kind="primary" isBusy={add.isPending}>
        {texts.add}
      </Button>
    </form>
  );
}

function RemoveSender({ sender, calls, verb }: { sender: string; calls: SenderCalls; verb: string }) {
  const remove = useChange(calls.queryKey, () => calls.remove(sender), null);
  return (
    <Button
      kind="quiet"
      aria-label={`${verb} ${sender}`}
      isBusy={remove.isPending}
      onClick={() => remove.mutate()}
    >
      {verb}
    </Button>
  );
}
