import { Field, Input, Select } from '../../../ui/field.tsx';

/** The lifetimes to choose from, in days. */
const TERMS = { '30 days': 30, '90 days': 90, '1 year': 365 } as const;
const DAY_MS = 86_400_000;

type Term = keyof typeof TERMS;

export interface Expiry {
  after: 'never' | Term | 'date';
  /** The date that the user entered, such as `2027-01-31`. */
  date: string;
}

/** The expiry in the API's format; null means never. A key with a date expires at the end of that day in local time. */
export function expiryOf({ after, date }: Expiry): string | null {
  if (after === 'never') return null;
  if (after !== 'date') return new Date(Date.now() + TERMS[after] * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59.999`);
  // An invalid date is sent as text, so that the service rejects the date and names this field.
  return Number.isNaN(end.getTime()) ? date : end.toISOString();
}

export interface ExpiryFieldProps {
  expiry: Expiry;
  onChange(expiry: Expiry): void;
  error: string | undefined;
}

export function ExpiryField({ expiry, onChange, error }: ExpiryFieldProps) {
  const isDate = expiry.after === 'date';
  return (
    <div className="grid content-start gap-2">
      <Field
        label="Expires"
        error={isDate ? undefined : error}
        hint={isDate ? undefined : 'Requests with the key will fail after this date.'}
      >
        <Select
          value={expiry.after}
          onChange={(event) => onChange({ ...expiry, after: event.target.value as Expiry['after'] })}
        >
          <option value="never">Never</option>
          {Object.keys(TERMS).map((term) => (
            <option key={term} value={term}>
              In {term}
            </option>
          ))}
          <option value="date">Custom date…</option>
        </Select>
      </Field>
      {isDate && (
        <Field label="Last day" isLabelHidden error={error}>
          <Input
            type="date"
            required
            value={expiry.date}
            onChange={(event) => onChange({ ...expiry, date: event.target.value })}
          />
        </Field>
      )}
    </div>
  );
}
