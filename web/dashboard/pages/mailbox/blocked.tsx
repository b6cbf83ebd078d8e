import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MailboxFiling } from '../../../../src/contract/mailbox-filing.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { useMay } from '../../shell/session.ts';
import type { MailboxKey } from '../mailboxes/queries.ts';
import { useFilingChange } from './use-filing-change.ts';

interface BlockedProps {
  of: MailboxKey;
  blocked: MailboxFiling['blocked'];
}

export function Blocked({ of: key, blocked }: BlockedProps) {
  const isAdmin = useMay('admin');
  const [sender, setSender] = useState('');
  const block = useFilingChange(
    key,
    () =>
      dataOf(
        api.POST('/projects/{project}/mailboxes/{id}/blocked', {
          params: { path: { ...key } },
          body: { sender: sender.trim() },
        }),
      ),
    null,
  );
  const unblock = useFilingChange<string>(
    key,
    (given) =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/blocked', {
          params: { path: { ...key }, query: { sender: given } },
        }),
      ),
    null,
  );
  return (
    <Card title="Blocked senders">
      <p className="text-muted">Their mail is refused: of an address, or of a domain and all below it.</p>
      {isAdmin && (
        <form
          noValidate
          className="mt-3 flex max-w-xl flex-wrap items-start gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (sender.trim() !== '') block.mutate(undefined, { onSuccess: () => setSender('') });
          }}
        >
          <Field
            label="Sender"
            isLabelHidden
            error={fieldErrors(block.error)['sender']}
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
          <Button type="submit" isBusy={block.isPending}>
            Block
          </Button>
        </form>
      )}
      {blocked.length === 0 && <p className="mt-2">Nobody is blocked.</p>}
      <ul aria-label="Blocked senders" className="mt-2 max-h-96 divide-y divide-line overflow-y-auto">
        {blocked.map((entry) => (
          <li key={entry.sender} className="flex flex-wrap items-center gap-x-3 py-1.5">
            <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
              {entry.sender}{' '}
              <span className="text-sm text-muted">
                <Time value={entry.created_at} />
              </span>
            </span>
            {isAdmin && (
              <Button
                kind="quiet"
                aria-label={`Unblock ${entry.sender}`}
                isBusy={unblock.isPending && unblock.variables === entry.sender}
                onClick={() => unblock.mutate(entry.sender)}
              >
                Unblock
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
