import { useState } from 'react';
import { ApiProblem } from '../../../api/client.ts';
import { messageOf } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { useOrder } from './order-buttons.tsx';

/** Holds a destination that nothing waits for yet. */
export function HoldDialog({ onClose }: { onClose(): void }) {
  const [domain, setDomain] = useState('');
  const hold = useOrder('hold', onClose);
  const { error } = hold;
  const atField = error instanceof ApiProblem ? error.errors['domain'] : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Hold a destination"
      description="Nothing goes there from any machine until you resume it, and nothing bounces meanwhile."
      onSubmit={() => hold.mutate(domain.trim())}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={hold.isPending}>
            Hold
          </Button>
        </>
      }
    >
      <Field label="Domain" hint="Of the recipients." error={error && (atField ?? messageOf(error))}>
        <Input
          data-focus
          autoComplete="off"
          spellCheck={false}
          placeholder="example.net"
          value={domain}
          onChange={(change) => setDomain(change.target.value)}
        />
      </Field>
    </Dialog>
  );
}
