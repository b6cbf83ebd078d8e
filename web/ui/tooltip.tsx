import { cloneElement, type HTMLAttributes, type ReactElement, type ReactNode, useId, useRef } from 'react';
import { positionPopup } from './position-popup.ts';

export interface TooltipProps {
  text: ReactNode;
  /** A control that can have the focus, so that keyboard users can open the tooltip. */
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

/** A short explanation of a control. Essential text belongs on the page. */
export function Tooltip({ text, children }: TooltipProps) {
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const show = (anchor: Element): void => {
    if (popup.current === null) return;
    popup.current.showPopover();
    positionPopup(popup.current, anchor, { align: 'center', side: 'top' });
  };
  const hide = () => popup.current?.hidePopover();
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': id,
        onMouseEnter: (event) => show(event.currentTarget),
        onFocus: (event) => show(event.currentTarget),
        onMouseLeave: hide,
        onBlur: hide,
        onKeyDown: (event) => {
          if (event.key === 'Escape') hide();
        },
      })}
      <div
        ref={popup}
        id={id}
        popover="manual"
        role="tooltip"
        className="pointer-events-none fixed inset-auto m-0 max-w-72 rounded-md bg-text px-2 py-1 text-xs text-page"
      >
        {text}
      </div>
    </>
  );
}
