import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Button } from '../../../../ui/button.tsx';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { Field, Input } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { Time } from '../../../../ui/time.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../loaded.tsx';
import { blockedQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';

export default function BlockedPage() {
  const { mailbox } = useMailbox();
  const query = blockedQuery(mailbox);
  const found = useQuery(query);
  const [sender, setSender] = useState('');
  const block = useChange(
    query.queryKey,
    () =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/blocked', {
          params: { path: { mailbox } },
          body: { sender: sender.trim() },
        }),
      ),
    null,
  );
  const unblock = useChange<string>(
    query.queryKey,
    (given) =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/blocked', {
          params: { path: { mailbox }, query: { sender: given } },
        }),
      ),
    null,
  );
  return (
    <>
      <PageHeader
        title="Blocked senders"
        description="Their mail is refused, and they are told so: of an address, or of a domain and all below it."
      />
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
            placeholder="shop.example"
            value={sender}
            onChange={(event) => setSender(event.target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" isBusy={block.isPending}>
          Block
        </Button>
      </form>
      <Loaded query={found}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="Nobody is blocked">
              Block a sender here, or in the menu of a message. For mail that only looks like spam, Junk is
              better: it learns.
            </EmptyState>
          ) : (
            <ul aria-label="Blocked senders" className="divide-y divide-line rounded-lg border border-line">
              {data.map((entry) => (
                <li key={entry.sender} className="flex flex-wrap items-center gap-x-3 py-1.5 pr-2 pl-4">
                  <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
                    {entry.sender}{' '}
                    <span className="text-sm text-muted">
                      <Time value={entry.created_at} />
                    </span>
                  </span>
                  <Button
                    kind="quiet"
                    aria-label={`Unblock ${entry.sender}`}
                    isBusy={unblock.isPending && unblock.variables === entry.sender}
                    onClick={() => unblock.mutate(entry.sender)}
                  >
                    Unblock
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
