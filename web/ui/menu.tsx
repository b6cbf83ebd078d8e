import {
  cloneElement,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { classes } from './classes.ts';
import { CheckIcon } from './icons.tsx';
import { type Placing, positionPopup } from './position-popup.ts';

export interface MenuProps extends Partial<Placing> {
  /** The button that opens the menu. */
  trigger: ReactElement<HTMLAttributes<HTMLButtonElement> & { popoverTarget?: string }>;
  /** MenuItem, MenuLabel and MenuSeparator. */
  children: ReactNode;
  className?: string;
}

/**
 * A menu of actions, opened by a button. The browser shows the menu on top, closes the menu and restores the focus;
 * this component adds the arrow keys.
 */
export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: MenuProps) {
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);

  const items = () => [
    ...(popup.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? []),
  ];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    const next = step(event.key, at, all);
    if (event.key === 'Tab') popup.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };

  return (
    <>
      {cloneElement(trigger, {
        popoverTarget: id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onKeyDown(event: KeyboardEvent<HTMLButtonElement>) {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          popup.current?.showPopover();
        },
      })}
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest('[role=menuitem]') !== null)
            popup.current?.hidePopover();
        }}
        onToggle={(event) => {
          const opens = event.newState === 'open';
          setIsOpen(opens);
          const anchor = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
          if (!opens || popup.current === null || anchor === null) return;
          popup.current.style.minWidth = `${anchor.getBoundingClientRect().width}px`;
          positionPopup(popup.current, anchor, { align, side });
          (popup.current.querySelector<HTMLElement>('[aria-current]') ?? items()[0])?.focus();
        }}
        className={classes(
          'fixed inset-auto m-0 max-h-[min(28rem,80dvh)] max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-1 text-left text-text shadow-high',
          'transition-opacity duration-100 ease-out starting:open:opacity-0 focus-visible:outline-none',
          className,
        )}
      >
        {children}
      </div>
    </>
  );
}

/** The item that a key moves to; undefined for other keys. A letter moves to the next item that begins with this letter. */
function step(key: string, at: number, items: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const turned = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return turned.find((item) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

export interface MenuItemProps {
  children: ReactNode;
  icon?: ReactNode;
  onClick?: () => void;
  /** A link, for an item that opens a page instead of calling an action. */
  render?: ReactElement<HTMLAttributes<HTMLElement>>;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Whether this item is the selected item of several alternatives. */
  isCurrent?: boolean;
}

export function MenuItem({
  children,
  icon,
  onClick,
  render,
  isDanger = false,
  isDisabled = false,
  isCurrent = false,
}: MenuItemProps) {
  return cloneElement(
    render ?? <button type="button" disabled={isDisabled} />,
    {
      role: 'menuitem',
      tabIndex: -1,
      'aria-current': isCurrent ? 'true' : undefined,
      ...(onClick !== undefined && { onClick }),
      className: classes(
        'flex min-h-10 w-full items-center gap-2.5 rounded-md px-2.5 text-left outline-none select-none hover:bg-hover focus:bg-hover disabled:opacity-55 sm:min-h-8',
        isDanger ? 'text-bad' : 'text-text',
      ),
    },
    icon !== undefined && <span className={isDanger ? '' : 'text-muted'}>{icon}</span>,
    <span className="min-w-0 flex-1 truncate">{children}</span>,
    isCurrent && <CheckIcon className="text-accent" />,
  );
}

export function MenuSeparator() {
  return <hr className="mx-1 my-1 border-line" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="px-2.5 pt-1.5 pb-1 text-xs text-muted">{children}</div>;
}
