import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { MailLabel } from '../../../../../src/contract/mail/labels.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, Input } from '../../../../ui/field.tsx';
import { LabelDot } from '../../../reading/labels/chip.tsx';
import { labelsQuery } from '../../../reading/labels/queries.ts';
import { useMailbox } from '../../../shell/session.ts';

const MAX_NAME = 60;
const COLORS: readonly (readonly [color: MailLabel['color'], name: string])[] = [
  [null, 'Gray'],
  ['red', 'Red'],
  ['orange', 'Orange'],
  ['yellow', 'Yellow'],
  ['green', 'Green'],
  ['teal', 'Teal'],
  ['blue', 'Blue'],
  ['purple', 'Purple'],
  ['pink', 'Pink'],
];

interface LabelFormProps {
  /** The label to change, or null to create a label. */
  label: MailLabel | null;
  onClose(): void;
}

export function LabelForm({ label, onClose }: LabelFormProps) {
  const { mailbox } = useMailbox();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState<MailLabel['color']>(label?.color ?? null);
  const save = useChange(
    labelsQuery(mailbox).queryKey,
    () =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/labels', {
          params: { path: { mailbox } },
          body: { name, color, ...(label !== null && { keyword: label.keyword }) },
        }),
      ),
    null,
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      title={label === null ? 'Create label' : `Change ${label.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isPending} disabled={name.trim() === ''}>
            {label === null ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Name" error={fieldErrors(save.error)['name']}>
          <Input
            required
            dir="auto"
            maxLength={MAX_NAME}
            autoComplete="off"
            placeholder="Travel"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <fieldset>
          <legend className="mb-1.5 font-medium">Color</legend>
          <div className="grid grid-cols-2 gap-x-4 sm:grid-cols-3">
            {COLORS.map(([each, title]) => (
              <label key={title} className="flex min-h-10 items-center gap-2 sm:min-h-8">
                <input
                  type="radio"
                  name="color"
                  className="size-4 accent-fill"
                  checked={color === each}
                  onChange={() => setColor(each)}
                />
                <LabelDot color={each} className="size-3" />
                {title}
              </label>
            ))}
          </div>
        </fieldset>
      </div>
    </Dialog>
  );
}
