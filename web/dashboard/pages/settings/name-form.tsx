import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Field, Input } from '../../../ui/field.tsx';

interface NameFormProps {
  name: string;
  id: string;
  hint?: ReactNode;
  mayChange: boolean;
  error: Error | null;
  isBusy: boolean;
  onRename(name: string): void;
}

/** The form for the name of a project or an organization. Also shows the id. */
export function NameForm({ name: before, id, hint, mayChange, error, isBusy, onRename }: NameFormProps) {
  const [name, setName] = useState(before);
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onRename(name.trim());
      }}
    >
      <Field label="Name" hint={hint} error={fieldErrors(error)['name']}>
        <span className="flex gap-2">
          <Input
            aria-label="Name"
            autoComplete="off"
            maxLength={100}
            disabled={!mayChange}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          {mayChange && (
            <Button type="submit" isBusy={isBusy} disabled={name.trim() === before}>
              Rename
            </Button>
          )}
        </span>
      </Field>
      <p className="flex items-center gap-1 text-sm text-muted">
        <span>
          ID <code className="font-mono wrap-anywhere text-text">{id}</code>
        </span>
        <Copy text={id} what="the ID" />
      </p>
    </form>
  );
}
