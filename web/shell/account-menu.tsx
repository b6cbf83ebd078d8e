import type { ReactNode } from 'react';
import { Menu, MenuLabel } from '../ui/menu.tsx';

interface AccountMenuProps {
  /** The accessible name of the menu button: `Account of Anna`. */
  label: string;
  initials: string;
  /** Null if only the address is known. */
  name: string | null;
  address: string;
  children: ReactNode;
}

export function AccountMenu({ label, initials, name, address, children }: AccountMenuProps) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="grid size-8 shrink-0 place-items-center rounded-full bg-quiet-soft text-xs font-semibold text-muted uppercase hover:text-text"
        >
          <span className="sr-only normal-case">{label}</span>
          <span aria-hidden="true">{initials}</span>
        </button>
      }
    >
      <MenuLabel>
        {name !== null && <span className="block text-base font-medium text-text">{name}</span>}
        {address}
      </MenuLabel>
      {children}
    </Menu>
  );
}
