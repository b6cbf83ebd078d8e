import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { CannedResponse } from '../../../../../src/contract/mail/canned-responses.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, Input } from '../../../../ui/field.tsx';
import { Loaded } from '../../../../shell/loaded.tsx';
import type { BodyHandle } from '../../../compose/editor/body.ts';
import { RichField } from '../../../compose/editor/rich-field.tsx';
import { responsesQuery } from '../../../compose/responses/queries.ts';

interface ResponseDialogProps {
  mailbox: string;
  /** The response to change, or null to create one. */
  id: string | null;
  onClose(): void;
}

const NEW = { name: '', subject: null, html: '' };

export function ResponseDialog({ mailbox, id, onClose }: ResponseDialogProps) {
  const query = useQuery({
    queryKey: [...responsesQuery(mailbox).queryKey, id],
    queryFn: async ({ signal }): Promise<Omit<CannedResponse, 'id'>> =>
      id === null
        ? NEW
        : dataOf(
            api.GET('/mailboxes/{mailbox}/canned-responses/{id}', {
              params: { path: { mailbox, id } },
              signal,
            }),
          ),
    // The form must begin with the stored text.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={query}>
      {(response) => <ResponseForm mailbox={mailbox} id={id} response={response} onClose={onClose} />}
    </Loaded>
  );
}

function ResponseForm({
  mailbox,
  id,
  response,
  onClose,
}: ResponseDialogProps & { response: Omit<CannedResponse, 'id'> }) {
  const text = useRef<BodyHandle>(null);
  const [name, setName] = useState(response.name);
  const [subject, setSubject] = useState(response.subject ?? '');
  const save = useChange(
    responsesQuery(mailbox).queryKey,
    () => {
      const body = { name, subject: subject.trim() || null, html: text.current?.body().html ?? '' };
      return dataOf(
        id === null
          ? api.POST('/mailboxes/{mailbox}/canned-responses', { params: { path: { mailbox } }, body })
          : api.PUT('/mailboxes/{mailbox}/canned-responses/{id}', {
              params: { path: { mailbox, id } },
              body,
            }),
      );
    },
    'Saved',
  );
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      isOpen
      width="wide"
      isSticky
      onClose={onClose}
      title={id === null ? 'Add canned response' : 'Edit canned response'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            isBusy={save.isPending}
            disabled={name.trim() === ''}
            onClick={() => save.mutate(undefined, { onSuccess: onClose })}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {save.error !== null && errors['name'] === undefined && (
          <p role="alert" className="text-bad">
            {errors['html'] ?? messageOf(save.error)}
          </p>
        )}
        <Field label="Name" error={errors['name']}>
          <Input
            data-focus
            dir="auto"
            maxLength={100}
            autoComplete="off"
            placeholder="Opening hours"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Field label="Subject" hint="Optional. It is used in messages without a subject.">
          <Input
            dir="auto"
            maxLength={998}
            autoComplete="off"
            value={subject}
            onChange={({ target }) => setSubject(target.value)}
          />
        </Field>
        <RichField ref={text} label="Text" mailbox={mailbox} html={response.html} />
      </div>
    </Dialog>
  );
}
