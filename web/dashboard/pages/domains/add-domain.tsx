import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';

interface AddDomainProps {
  project: string;
  isOpen: boolean;
  onClose(): void;
}

export function AddDomain({ project, isOpen, onClose }: AddDomainProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (domain: string) =>
      dataOf(
        api.POST('/projects/{project}/domains', {
          params: { path: { project } },
          body: { domain },
        }),
      ),
    async onSuccess({ id }) {
      close();
      void queries.invalidateQueries({ queryKey: ['domains', project] });
      await navigate({ to: '/domains/$id', params: { id }, search: { project } });
    },
  });
  const close = () => {
    setName('');
    setFault(null);
    add.reset();
    onClose();
  };
  const submit = () => {
    const domain = name.trim();
    const wrong = faultOf(domain);
    setFault(wrong);
    if (wrong === null) add.mutate(domain);
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="Add domain"
      description="We’ll show you the DNS records to publish. Once they are found, you can send from any address at the domain."
      onSubmit={submit}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <Field
        label="Domain"
        error={fault ?? sentence(fieldErrors(add.error)['domain'])}
        hint="A subdomain such as mail.acme.example keeps the reputation of your mail separate from that of your main domain."
      >
        <Input
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            setFault(null);
          }}
          placeholder="acme.example"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="url"
        />
      </Field>
    </Dialog>
  );
}

/** Makes a sentence of a field error, because the server's field errors begin in lower case and have no full stop. */
function sentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Mistakes that the form itself detects. The server reports all other mistakes. */
function faultOf(domain: string): string | null {
  if (domain === '') return 'Enter a domain.';
  if (domain.includes('@')) return 'Enter only the domain, the part after the @.';
  if (/[/:\s]/.test(domain)) return 'Enter only the domain name, without https://, path or spaces.';
  if (!domain.includes('.')) return 'Enter the full name, such as acme.example.';
  return null;
}
