import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { CannedResponses } from '../../../../../src/contract/mail/canned-responses.ts';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { Field, Select } from '../../../../ui/field.tsx';
import { PenIcon, PlusIcon, TrashIcon } from '../../../../ui/icons.tsx';
import { Loaded } from '../../../../shell/loaded.tsx';
import { responsesQuery } from '../../../compose/responses/queries.ts';
import { useResponseMailboxes } from '../../../compose/responses/response-mailboxes.ts';
import { ResponseDialog } from './response-dialog.tsx';

type Head = CannedResponses['data'][number];

/** The canned responses of the mailbox, or of a mailbox that is shared with its owner. */
export function ResponseList() {
  const mailboxes = useResponseMailboxes();
  const [chosen, setChosen] = useState<string | null>(null);
  const { mailbox = '', mayChange = false } =
    mailboxes.find((each) => each.mailbox === chosen) ?? mailboxes[0] ?? {};
  const query = useQuery(responsesQuery(mailbox));
  /** `new`, or the response that is being changed. */
  const [edited, setEdited] = useState<Head | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Head | null>(null);
  return (
    <Card
      title="Canned responses"
      aside={
        mayChange && (
          <Button icon={<PlusIcon />} onClick={() => setEdited('new')}>
            Add response
          </Button>
        )
      }
    >
      <p className="mb-3 max-w-2xl text-muted">
        Texts that you often send. In a message, type / at the beginning of a line to insert one.
      </p>
      {mailboxes.length > 1 && (
        <Field label="Mailbox" className="mb-3 max-w-sm">
          <Select value={mailbox} onChange={({ target }) => setChosen(target.value)}>
            {mailboxes.map((each) => (
              <option key={each.mailbox} value={each.mailbox}>
                {each.address}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No canned responses yet</p>
          ) : (
            <ul aria-label="Canned responses" className="divide-y divide-line">
              {data.map((response) => (
                <li key={response.id} className="flex min-h-11 items-center gap-2 py-1">
                  <span className="min-w-0 flex-1">
                    <span dir="auto" className="block wrap-anywhere font-medium">
                      {response.name}
                    </span>
                    <span dir="auto" className="block truncate text-sm text-muted">
                      {response.preview}
                    </span>
                  </span>
                  {mayChange && (
                    <span className="flex">
                      <IconButton label={`Edit ${response.name}`} onClick={() => setEdited(response)}>
                        <PenIcon />
                      </IconButton>
                      <IconButton label={`Delete ${response.name}`} onClick={() => setDeleted(response)}>
                        <TrashIcon />
                      </IconButton>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited !== null && (
        <ResponseDialog
          mailbox={mailbox}
          id={edited === 'new' ? null : edited.id}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted !== null && (
        <DeleteResponse mailbox={mailbox} response={deleted} onClose={() => setDeleted(null)} />
      )}
    </Card>
  );
}

interface DeleteResponseProps {
  mailbox: string;
  response: Head;
  onClose(): void;
}

function DeleteResponse({ mailbox, response: { id, name }, onClose }: DeleteResponseProps) {
  const remove = useChange(
    responsesQuery(mailbox).queryKey,
    () =>
      dataOf(api.DELETE('/mailboxes/{mailbox}/canned-responses/{id}', { params: { path: { mailbox, id } } })),
    'Canned response deleted',
  );
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete the canned response ${name}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      Messages that contain its text stay as they are.
    </AlertDialog>
  );
}
