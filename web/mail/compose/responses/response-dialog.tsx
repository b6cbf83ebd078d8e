import { useQueries } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { CannedResponse } from '../../../../src/contract/mail/canned-responses.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { toastFailure } from '../../../ui/toast.tsx';
import { responsesQuery } from './queries.ts';
import { useResponseMailboxes } from './response-mailboxes.ts';

export interface ResponseDialogProps {
  onChoose(response: CannedResponse): void;
  /** Called when the user has chosen no response. */
  onClose(): void;
}

/** Lets the user choose a canned response of the mailbox or of a mailbox that is shared with it. */
export function ResponseDialog({ onChoose, onClose }: ResponseDialogProps) {
  const mailboxes = useResponseMailboxes();
  const answers = useQueries({ queries: mailboxes.map(({ mailbox }) => responsesQuery(mailbox)) });
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = mailboxes.flatMap(({ mailbox, address }, at) =>
    (answers[at]?.data?.data ?? [])
      .filter(({ name, preview }) => `${name} ${preview}`.toLowerCase().includes(words))
      .map((response) => ({ ...response, mailbox, address })),
  );
  const choose = async (chosen: (typeof found)[number] | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const { mailbox, id } = chosen;
    try {
      onChoose(
        await dataOf(
          api.GET('/mailboxes/{mailbox}/canned-responses/{id}', { params: { path: { mailbox, id } } }),
        ),
      );
    } catch (error) {
      toastFailure(messageOf(error));
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => void choose(found[0])}
      title="Insert canned response"
      actions={<Button onClick={onClose}>Cancel</Button>}
    >
      <div data-responses>
        <Field label="Search" isLabelHidden>
          <Input
            data-focus
            onKeyDown={moveFocus}
            dir="auto"
            autoComplete="off"
            placeholder="Search canned responses"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
        <ul aria-label="Canned responses" className="mt-2 -mx-2">
          {found.map((response) => (
            <li key={response.id}>
              <button
                type="button"
                onKeyDown={moveFocus}
                className="block w-full rounded-md px-2 py-2 text-start hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2"
                onClick={() => void choose(response)}
              >
                <span dir="auto" className="block truncate font-medium">
                  {response.name}
                </span>
                <span dir="auto" className="block truncate text-sm text-muted">
                  {response.preview}
                </span>
                {mailboxes.length > 1 && response.mailbox !== mailboxes[0]?.mailbox && (
                  <span dir="auto" className="block truncate text-xs text-muted">
                    {response.address}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && answers.every(({ isPending }) => !isPending) && (
          <p className="px-2 py-3 text-muted">
            {words === '' ? 'No canned responses yet. Create one under Settings, Writing.' : 'No matches'}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** Moves the focus between the search field and the responses with the arrow keys. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const all = [
    ...(event.currentTarget.closest('[data-responses]')?.querySelectorAll<HTMLElement>('input, li button') ??
      []),
  ];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
