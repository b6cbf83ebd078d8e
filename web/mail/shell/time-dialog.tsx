import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ClockIcon } from '../../ui/compose-icons.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { type Choice, problemOf, timeWords, toField, zone } from '../compose/send/later.ts';

export interface TimeDialogProps {
  title: string;
  description: string;
  /** The verb on the button. */
  action: string;
  /** The times that are offered. */
  choices: readonly Choice[];
  /** The time with which the field begins. Default: the first of the choices. */
  before?: Date | undefined;
  maxDays: number;
  onChoose(at: Date): void;
  onClose(): void;
}

/** Asks for a time in the future. */
export function TimeDialog({
  title,
  description,
  action,
  choices,
  before,
  maxDays,
  onChoose,
  onClose,
}: TimeDialogProps) {
  const [now] = useState(() => new Date());
  const [field, setField] = useState(() => toField(before ?? choices[0]?.at ?? now));
  const [error, setError] = useState<string | null>(null);
  const save = (): void => {
    const problem = problemOf(field, new Date(), maxDays);
    setError(problem);
    if (problem === null) onChoose(new Date(field));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            {action}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="-mx-2 grid">
          {choices.map(({ label, at }, index) => (
            <button
              key={label}
              type="button"
              data-focus={index === 0 || undefined}
              onClick={() => onChoose(at)}
              className="flex min-h-10 items-center gap-2.5 rounded-md px-2 text-start hover:bg-hover focus-visible:-outline-offset-2 sm:min-h-9"
            >
              <ClockIcon className="text-muted" />
              <span className="flex-1">{label}</span>
              <span className="text-muted tabular-nums">{timeWords(at)}</span>
            </button>
          ))}
        </div>
        <Field label="Date and time" hint={`Time zone: ${zone().replaceAll('_', ' ')}`} error={error}>
          <Input
            type="datetime-local"
            value={field}
            min={toField(now)}
            onChange={({ target }) => {
              setField(target.value);
              setError(null);
            }}
          />
        </Field>
      </div>
    </Dialog>
  );
}
