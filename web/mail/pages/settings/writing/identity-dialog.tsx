import { useRef, useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { Identity, SaveIdentity } from '../../../../../src/contract/mail/identities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Checkbox, Field, Input, Select } from '../../../../ui/field.tsx';
import type { BodyHandle } from '../../../compose/editor/body.ts';
import { RichField } from '../../../compose/editor/rich-field.tsx';
import { identitiesQuery } from '../../../compose/queries.ts';
import { accountsQuery, useMailbox } from '../../../shell/session.ts';

interface IdentityDialogProps {
  /** The identity to change, or null to create one. */
  identity: Identity | null;
  /** The addresses of the mailbox. */
  addresses: readonly string[];
  /** The Reply-To that applies if the identity has none. */
  mailboxReplyTo: string | null;
  onClose(): void;
}

export function IdentityDialog({ identity, addresses, mailboxReplyTo, onClose }: IdentityDialogProps) {
  const { mailbox } = useMailbox();
  const signature = useRef<BodyHandle>(null);
  const isTouched = useRef(false);
  const [values, setValues] = useState<Omit<SaveIdentity, 'signature_html'>>({
    address: identity?.address ?? addresses[0] ?? '',
    name: identity?.name ?? null,
    reply_to: identity?.reply_to ?? null,
    bcc_self: identity?.bcc_self ?? false,
    is_default: identity?.is_default ?? false,
  });
  const set = (given: Partial<typeof values>) => setValues({ ...values, ...given });
  /** A signature that the user has not edited is sent back as it is, because the editor does not support all HTML of the API. */
  const signatureOf = (): string | null => {
    const { current } = signature;
    if (!isTouched.current) return identity?.signature_html ?? null;
    return current === null || current.isEmpty() ? null : current.body().html;
  };
  const save = useChange(
    identitiesQuery(mailbox).queryKey,
    async () => {
      const body = { ...values, name: values.name?.trim() || null, signature_html: signatureOf() };
      await dataOf(
        identity === null
          ? api.POST('/mailboxes/{mailbox}/identities', { params: { path: { mailbox } }, body })
          : api.PUT('/mailboxes/{mailbox}/identities/{id}', {
              params: { path: { mailbox, id: identity.id } },
              body,
            }),
      );
      // The list of mailboxes shows the name of the main identity.
      if (identity?.is_main === true) await queryClient.invalidateQueries(accountsQuery);
    },
    'Saved',
  );
  const errors = fieldErrors(save.error);
  const isMain = identity?.is_main === true;
  const listed = addresses.includes(values.address) ? addresses : [values.address, ...addresses];
  return (
    <Dialog
      isOpen
      width="wide"
      isSticky
      onClose={onClose}
      title={identity === null ? 'Add identity' : 'Edit identity'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            isBusy={save.isPending}
            onClick={() => save.mutate(undefined, { onSuccess: onClose })}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {save.error !== null && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-bad">
            {messageOf(save.error)}
          </p>
        )}
        <Field
          label="Address"
          error={errors['address']}
          hint={isMain && 'The main identity is also used for addresses without their own identity.'}
        >
          <Select
            disabled={isMain}
            value={values.address}
            onChange={({ target }) => set({ address: target.value })}
          >
            {listed.map((address) => (
              <option key={address} value={address}>
                {address}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label="Name"
          error={errors['name']}
          hint={
            isMain
              ? 'Shown to recipients next to the address. Leave empty to show only the address.'
              : 'Shown to recipients next to the address. Leave empty to use the name of the main identity.'
          }
        >
          <Input
            dir="auto"
            maxLength={256}
            autoComplete="name"
            placeholder="Ann Lee"
            value={values.name ?? ''}
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        <div>
          <RichField
            ref={signature}
            label="Signature"
            mailbox={mailbox}
            html={identity?.signature_html ?? ''}
            onChange={() => {
              isTouched.current = true;
            }}
          />
          {errors['signature_html'] !== undefined && (
            <p className="mt-1.5 text-sm text-bad">{errors['signature_html']}</p>
          )}
        </div>
        <Field
          label="Reply-To"
          error={errors['reply_to']}
          hint={
            mailboxReplyTo === null
              ? 'Replies go to this address. Leave empty to receive replies at the address of the identity.'
              : `Replies go to this address. Leave empty to use ${mailboxReplyTo}, which your administrator set.`
          }
        >
          <Input
            dir="auto"
            inputMode="email"
            autoComplete="off"
            placeholder="support@acme.example"
            value={values.reply_to ?? ''}
            onChange={({ target }) => set({ reply_to: target.value === '' ? null : target.value })}
          />
        </Field>
        <Checkbox
          label="Send me a copy"
          hint="The address receives each message as a blind copy (Bcc)."
          checked={values.bcc_self}
          onChange={({ target }) => set({ bcc_self: target.checked })}
        />
        <Checkbox
          label="Default for this address"
          hint={
            identity?.is_default === true && identity.is_main
              ? 'To change the default, make another identity of this address the default.'
              : undefined
          }
          disabled={identity?.is_default === true && identity.is_main}
          checked={values.is_default}
          onChange={({ target }) => set({ is_default: target.checked })}
        />
      </div>
    </Dialog>
  );
}
