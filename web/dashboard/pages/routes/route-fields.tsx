import type { Route } from '../../../../src/contract/routes.ts';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { FORMATS } from './words.tsx';

export interface TargetValues {
  url: string;
  format: Route['format'];
}

interface TargetFieldsProps {
  values: TargetValues;
  onChange(values: TargetValues): void;
  errors: Readonly<Record<string, string>>;
}

/** Where a route sends messages, and how they are written. */
export function TargetFields({ values, onChange, errors }: TargetFieldsProps) {
  return (
    <>
      <Field
        label="URL"
        hint="Must respond to a POST with a 2xx status within 20 seconds. May contain a user name and a password, which are not shown again. Leave empty if your program fetches messages."
        error={errors['url']}
      >
        <Input
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/incoming"
          value={values.url}
          onChange={(event) => onChange({ ...values, url: event.target.value })}
        />
      </Field>
      <Field label="Format" hint="How messages are written in requests." error={errors['format']}>
        <Select
          value={values.format}
          onChange={(event) => onChange({ ...values, format: event.target.value as Route['format'] })}
        >
          {Object.entries(FORMATS).map(([format, name]) => (
            <option key={format} value={format}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
    </>
  );
}
