import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from './classes.ts';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-fill text-on-fill shadow-low hover:not-disabled:bg-fill-hover',
  secondary: 'border border-line bg-raised text-text shadow-low hover:not-disabled:bg-hover',
  quiet: 'text-muted hover:not-disabled:bg-hover hover:not-disabled:text-text',
  danger: 'bg-bad-fill text-on-fill shadow-low hover:not-disabled:bg-bad-fill-hover',
};

/** The class names of a button, for links that look like buttons. */
export function buttonClass(kind: ButtonKind = 'secondary', extra?: string): string {
  return classes(
    'inline-flex h-10 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-base font-medium whitespace-nowrap',
    'transition-colors duration-100 select-none disabled:opacity-55 sm:h-8',
    KINDS[kind],
    extra,
  );
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Use at most one primary button per page. The default is secondary. */
  kind?: ButtonKind;
  icon?: ReactNode;
  /** Whether the action is in progress. A busy button is disabled and has `aria-busy`. */
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind, icon, isBusy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
      className={buttonClass(kind, className)}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** The name of the action, used as accessible name and tooltip. */
  label: string;
  /** The icon. */
  children?: ReactNode;
}

/** A square button with only an icon. Quiet ones have no border and are smaller on phones, where a toolbar has many of them. */
export function IconButton({ label, kind = 'quiet', className, children, ...rest }: IconButtonProps) {
  return (
    <Button
      kind={kind}
      aria-label={label}
      title={label}
      className={classes(kind === 'quiet' ? 'w-9 px-0 max-sm:h-9 sm:w-8' : 'w-10 px-0 sm:w-8', className)}
      {...rest}
    >
      {children}
    </Button>
  );
}
