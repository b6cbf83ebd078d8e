import { Field, Select } from '../../../ui/field.tsx';
import type { Reason } from './queries.ts';
import { REASONS } from './words.ts';

interface ReasonFieldProps {
  label: string;
  hint?: string;
  value: Reason;
  onChange(reason: Reason): void;
}

export function ReasonField({ label, hint, value, onChange }: ReasonFieldProps) {
  return (
    <Field label={label} hint={hint ?? REASONS[value].why}>
      <Select value={value} onChange={(event) => onChange(event.target.value as Reason)}>
        {Object.entries(REASONS).map(([reason, { name }]) => (
          <option key={reason} value={reason}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}
