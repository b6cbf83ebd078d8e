import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ClockIcon } from '../../../ui/compose-icons.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { choicesAt, problemOf, timeWords, toField, zone } from './later.ts';

export interface LaterDialogProps {
  /** The scheduled time to change. By default the dialog begins with tomorrow morning. */
  before?: Date;
  maxDays: number;
  onChoose(at: Date): void;
  onClose(): void;
}

/** Asks when to send a message. */
export function LaterDialog({ before, maxDays, onChoose, onClose }: LaterDialogProps) {
  const [now] = useState(() => new Date());
  const choices = choicesAt(now);
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
      title="Send later"
      description="The server sends the message, so you can close this window."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Schedule
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
              className="flex min-h-10 items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover focus-visible:-outline-offset-2 sm:min-h-9"
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
