import { type ComponentProps, createContext, type ReactNode, use, useId } from 'react';
import { classes } from './classes.ts';
import { ChevronDownIcon } from './icons.tsx';

interface FieldState {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}

const FieldContext = createContext<FieldState | null>(null);

export interface FieldProps {
  label: string;
  /** Help for filling in the field. */
  hint?: ReactNode;
  /** The error; null or absent if the value is valid. */
  error?: string | null | undefined;
  /** Shows the label only to screen readers. */
  isLabelHidden?: boolean;
  children: ReactNode;
  className?: string;
}

/** A control (Input, Textarea, Select) with its label, hint and error. */
export function Field({ label, hint, error, isLabelHidden = false, children, className }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error ? `${id}-error` : undefined;
  const describedBy = classes(errorId, hintId) || undefined;
  return (
    <FieldContext value={{ id, describedBy, isInvalid: errorId !== undefined }}>
      <div className={classes('grid content-start gap-1.5', className)}>
        <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium'}>
          {label}
        </label>
        {children}
        {errorId !== undefined && (
          <p id={errorId} className="text-sm text-bad">
            {error}
          </p>
        )}
        {hintId !== undefined && (
          <p id={hintId} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </FieldContext>
  );
}

const CONTROL =
  'w-full min-w-0 rounded-md border border-edge bg-page text-text transition-colors duration-100 hover:border-muted disabled:opacity-55 aria-invalid:border-bad focus-visible:outline-offset-0';
/** 16 px on phones: Safari zooms into fields with smaller text. */
const LINE = 'h-10 px-3 text-lg sm:h-8 sm:px-2.5 sm:text-base';

function useField() {
  const field = use(FieldContext);
  if (field === null) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.isInvalid || undefined,
  };
}

/** A single-line text field. An `Input` outside a `Field` needs an `aria-label`. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useField()} {...rest} className={classes(CONTROL, LINE, className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={3}
      {...useField()}
      {...rest}
      className={classes(CONTROL, 'px-3 py-2 text-lg sm:px-2.5 sm:py-1.5 sm:text-base', className)}
    />
  );
}

/** The native select, which each device presents in the device's usual way. The children are `option` elements. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={classes('relative block', className)}>
      <select
        {...useField()}
        {...rest}
        className={classes(CONTROL, LINE, 'appearance-none truncate pr-8 sm:pr-8')}
      >
        {children}
      </select>
      <ChevronDownIcon className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted" />
    </span>
  );
}

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'children'> {
  label: ReactNode;
  hint?: ReactNode;
  /** Shows a radio button instead of a checkbox. Radio buttons with the same `name` are one group. */
  isRadio?: boolean;
}

/** A checkbox or radio button. Its accessible name is only the label; the hint is its description. */
export function Checkbox({ label, hint, isRadio = false, className, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={classes('grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5', className)}>
      <input
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
        type={isRadio ? 'radio' : 'checkbox'}
        className="peer mt-[3px] size-4 accent-fill"
      />
      <label htmlFor={id} className="min-w-0 peer-disabled:text-muted">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="col-start-2 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
