import { useEffect, useState } from 'react';
import { fieldErrors } from '../../../api/client.ts';
import type { ApiKeyList, CreateApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { type Access, AccessFields, scopesOf } from './access-fields.tsx';
import { type Expiry, ExpiryField, expiryOf } from './expiry-field.tsx';
import { entriesIn } from './words.ts';

export interface CreateDialogProps {
  scopes: ApiKeyList['scopes'];
  /** The lowest role that may grant full access. */
  fullAccessBy: ApiKeyList['full_access_granted_by'];
  /** The user's role in the project. */
  role: ApiKeyList['full_access_granted_by'];
  /** The error from the last attempt to create the key. */
  error: Error | null;
  isBusy: boolean;
  onCreate(body: CreateApiKey): void;
  onClose(): void;
}

export function CreateDialog({
  scopes,
  fullAccessBy,
  role,
  error,
  isBusy,
  onCreate,
  onClose,
}: CreateDialogProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>({ choice: 'sending', custom: [] });
  const [fromDomains, setFromDomains] = useState('');
  const [recipients, setRecipients] = useState('');
  const [addresses, setAddresses] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ after: 'never', date: '' });
  const errors = fieldErrors(error);
  // Shows the first rejected field, which may be hidden or out of view.
  useEffect(() => {
    if (error === null) return;
    const field = document.querySelector<HTMLElement>('dialog [aria-invalid=true]');
    const details = field?.closest('details');
    if (details != null) details.open = true;
    field?.focus();
    field?.parentElement?.scrollIntoView({ block: 'center' });
  }, [error]);

  const submit = () => {
    const [from_domains, to, at] = [fromDomains, recipients, addresses].map(entriesIn);
    const expires_at = expiryOf(expiry);
    const granted = scopesOf(access, scopes);
    onCreate({
      name: name.trim(),
      ...(granted !== null && { scopes: granted }),
      ...(from_domains !== undefined && { from_domains }),
      ...(to !== undefined && { recipients: to }),
      ...(at !== undefined && { addresses: at }),
      ...(expires_at !== null && { expires_at }),
    });
  };

  return (
    <Dialog
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      title="Create API key"
      width="wide"
      onSubmit={submit}
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Create
          </Button>
        </>
      }
    >
      <div className="grid gap-6">
        <Field label="Name" hint="The application or server that uses it." error={errors['name']}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            placeholder="Shop, production"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <AccessFields
          scopes={scopes}
          fullAccessBy={fullAccessBy}
          role={role}
          access={access}
          onChange={setAccess}
          error={errors['scopes']}
        />
        <details>
          <summary className="cursor-pointer font-medium">Restrictions and expiry</summary>
          <p className="mt-1 text-sm text-muted">All optional. They cannot be changed later.</p>
          <div className="mt-3 grid gap-x-5 gap-y-4 sm:grid-cols-2">
            <Field
              label="Sending domains"
              hint="Mail from any other domain is rejected. *.acme.example matches all subdomains."
              error={errors['from_domains']}
            >
              <Entries value={fromDomains} onChange={setFromDomains} placeholder="acme.example" />
            </Field>
            <Field
              label="Recipients"
              hint="Mail to any other recipient is rejected. Useful for staging."
              error={errors['recipients']}
            >
              <Entries
                value={recipients}
                onChange={setRecipients}
                placeholder="*@acme.example, ann@example.net"
              />
            </Field>
            <Field
              label="Source addresses"
              hint="IP addresses or networks. Requests from other addresses are rejected."
              error={errors['addresses']}
            >
              <Entries value={addresses} onChange={setAddresses} placeholder="192.0.2.7, 2001:db8::/32" />
            </Field>
            <ExpiryField expiry={expiry} onChange={setExpiry} error={errors['expires_at']} />
          </div>
        </details>
      </div>
    </Dialog>
  );
}

interface EntriesProps {
  value: string;
  onChange(value: string): void;
  placeholder: string;
}

function Entries({ value, onChange, placeholder }: EntriesProps) {
  return (
    <Input
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
