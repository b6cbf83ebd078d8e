import { useEffect, useState } from 'react';
import { fieldErrors } from '../../../api/client.ts';
import type { ApiKeyList, CreateApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { isAtLeast } from '../../shell/session.ts';
import { type Expiry, ExpiryField, expiryOf } from './expiry-field.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { entriesIn } from './words.ts';

type Scope = ApiKeyList['scopes'][number]['scope'];

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
  /** The chosen scopes, or null for full access. */
  const [chosen, setChosen] = useState<readonly Scope[] | null>(isAtLeast(role, fullAccessBy) ? null : []);
  const [fromDomains, setFromDomains] = useState('');
  const [recipients, setRecipients] = useState('');
  const [addresses, setAddresses] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ after: 'never', date: '' });
  const errors = fieldErrors(error);
  // Scrolls to the first rejected field, which may be out of view.
  useEffect(() => {
    if (error === null) return;
    const field = document.querySelector<HTMLElement>('dialog [aria-invalid=true]');
    field?.focus();
    field?.parentElement?.scrollIntoView({ block: 'center' });
  }, [error]);

  const submit = () => {
    const [from_domains, to, at] = [fromDomains, recipients, addresses].map(entriesIn);
    const expires_at = expiryOf(expiry);
    onCreate({
      name: name.trim(),
      // The request lists scopes in the order of the table, not in the order in which the user selected them.
      ...(chosen !== null && {
        scopes: scopes.map(({ scope }) => scope).filter((scope) => chosen.includes(scope)),
      }),
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
        <ScopeFields
          scopes={scopes}
          fullAccessBy={fullAccessBy}
          role={role}
          chosen={chosen}
          onChange={setChosen}
          error={errors['scopes']}
        />
        <fieldset className="grid gap-4">
          <legend className="mb-2 font-medium">Restrictions</legend>
          <p className="-mt-2 text-sm text-muted">All optional. They cannot be changed later.</p>
          <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
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
        </fieldset>
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
