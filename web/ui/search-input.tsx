import type { ComponentProps } from 'react';
import { Input } from './field.tsx';
import { SearchIcon } from './icons.tsx';
import { Kbd } from './kbd.tsx';

/** The search field of a page, with the key that focuses it. */
export function SearchInput({
  hasKey = true,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** Whether the key `/` focuses the field. */
  hasKey?: boolean;
}) {
  return (
    <span className="relative block">
      <SearchIcon className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
      <Input
        type="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-keyshortcuts={hasKey ? '/' : undefined}
        {...props}
        className="peer pl-8 sm:pl-8"
      />
      {hasKey && (
        <span className="pointer-events-none absolute top-1/2 right-2 hidden -translate-y-1/2 sm:peer-placeholder-shown:block sm:peer-focus:hidden">
          <Kbd>/</Kbd>
        </span>
      )}
    </span>
  );
}
