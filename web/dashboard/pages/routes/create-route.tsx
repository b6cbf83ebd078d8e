import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateRoute as CreateRouteBody } from '../../../../src/contract/routes.ts';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import {
  type AddressDraft,
  AddressField,
  addressOf,
  useAddressDomains,
} from '../mailboxes/address-field.tsx';
import { CreatedDialog } from '../webhooks/secret-shown.tsx';
import { MailboxPicker } from './mailbox-picker.tsx';
import { allRoutes } from './queries.ts';
import { TargetFields, type TargetValues } from './route-fields.tsx';

const KINDS = {
  address: 'Mail to an address',
  domain: 'Mail to all other addresses of a domain',
  mailbox: 'Mail that a mailbox receives',
} as const;
type Kind = keyof typeof KINDS;

/** What the route receives. */
interface Receives {
  kind: Kind;
  address: AddressDraft;
  mailboxId: string;
  tag: string;
}

/** Creates a route, then shows its secret before the route. Loaded when the dialog is opened. */
export default function CreateRoute({ project, onClose }: { project: string; onClose(): void }) {
  const [receives, setReceives] = useState<Receives>({
    kind: 'address',
    address: { localPart: '', domainId: '' },
    mailboxId: '',
    tag: '',
  });
  const [target, setTarget] = useState<TargetValues>({ url: '', format: 'json' });
  const domains = useAddressDomains(project);
  const [isChoiceMissing, setChoiceMissing] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (matched: CreateRouteBody) =>
      dataOf(
        api.POST('/projects/{project}/routes', {
          params: { path: { project } },
          body: {
            ...matched,
            format: target.format,
            ...(target.url.trim() !== '' && { url: target.url.trim() }),
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: allRoutes(project) }),
  });
  const submit = () => {
    const { kind, address, mailboxId, tag } = receives;
    if (kind === 'address') return create.mutate(addressOf(address, domains));
    const own = domains.filter(({ is_hosted }) => !is_hosted);
    if (kind === 'domain') return create.mutate({ domain_id: address.domainId || (own[0]?.id ?? '') });
    setChoiceMissing(mailboxId === '');
    if (mailboxId === '') return undefined;
    return create.mutate({ mailbox_id: mailboxId, ...(tag.trim() !== '' && { tag: tag.trim() }) });
  };
  const created = create.data;
  if (created !== undefined) {
    return (
      <CreatedDialog
        what="route"
        description="Each request is signed with this secret, and your program needs it to fetch attachments."
        secret={created.secret}
        label="Secret"
        onOpen={() => void navigate({ to: '/routes/$id', params: { id: created.id } })}
        onClose={onClose}
      />
    );
  }
  const errors = {
    ...fieldErrors(create.error),
    ...(isChoiceMissing && receives.mailboxId === '' && { mailbox_id: 'Choose a mailbox.' }),
  };
  return (
    <Dialog
      isOpen
      isBusy={create.isPending}
      onClose={onClose}
      onSubmit={submit}
      title="Create route"
      description="Pass incoming mail to a program."
      actions={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Receives">
          <Select
            value={receives.kind}
            onChange={(event) => setReceives({ ...receives, kind: event.target.value as Kind })}
          >
            {Object.entries(KINDS).map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <ReceivesFields
          project={project}
          domains={domains}
          value={receives}
          onChange={setReceives}
          errors={errors}
        />
        <TargetFields values={target} onChange={setTarget} errors={errors} />
      </div>
    </Dialog>
  );
}

interface ReceivesFieldsProps {
  project: string;
  domains: ReturnType<typeof useAddressDomains>;
  value: Receives;
  onChange(value: Receives): void;
  errors: Readonly<Record<string, string>>;
}

function ReceivesFields({ project, domains, value, onChange, errors }: ReceivesFieldsProps) {
  const { kind, address, mailboxId, tag } = value;
  if (kind === 'address')
    return (
      <AddressField
        project={project}
        value={address}
        onChange={(changed) => onChange({ ...value, address: changed })}
        errors={errors}
        placeholder="support"
      />
    );
  if (kind === 'domain')
    return (
      <Field
        label="Domain"
        hint="Must be verified. Mailboxes, aliases and routes of single addresses keep their mail."
        error={errors['domain_id']}
      >
        <Select
          value={address.domainId}
          onChange={(event) => onChange({ ...value, address: { ...address, domainId: event.target.value } })}
        >
          {domains
            .filter(({ is_hosted }) => !is_hosted)
            .map(({ id, domain }) => (
              <option key={id} value={id}>
                {domain}
              </option>
            ))}
        </Select>
      </Field>
    );
  return (
    <>
      <MailboxPicker
        project={project}
        value={mailboxId}
        onChange={(id) => onChange({ ...value, mailboxId: id })}
        error={errors['mailbox_id']}
      />
      <Field label="Tag" hint="Only mail to name+tag. Leave empty for all mail." error={errors['tag']}>
        <Input
          autoComplete="off"
          autoCapitalize="none"
          placeholder="tickets"
          value={tag}
          onChange={(event) => onChange({ ...value, tag: event.target.value })}
        />
      </Field>
    </>
  );
}
