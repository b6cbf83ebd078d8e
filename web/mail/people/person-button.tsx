import { type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react';
import type { MailPerson } from '../../../src/contract/mail/conversations.ts';
import { lazyPart } from '../../shell/code.ts';
import { positionPopup } from '../../ui/position-popup.ts';
import { shownName } from '../reading/people.ts';

// Loaded on demand, because few people are looked up.
const PersonCard = lazyPart(() => import('./person-card.tsx'));

/** How long the pointer rests on a name before the card opens. */
const REST_MS = 500;

interface PersonButtonProps {
  person: MailPerson;
  className?: string;
  /** The content of the button. */
  children: ReactNode;
}

/** A button that opens the card of a person: by click, by key, or when the mouse rests on it. */
export function PersonButton({ person, className, children }: PersonButtonProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isOpen) return undefined;
    // The browser closes the card. The page must not also close the conversation.
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.stopPropagation();
    };
    window.addEventListener('keydown', onEscape, true);
    return () => window.removeEventListener('keydown', onEscape, true);
  }, [isOpen]);
  const place = () => {
    if (popup.current !== null && button.current !== null)
      positionPopup(popup.current, button.current, { align: 'start', side: 'bottom' });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`About ${shownName(person)}`}
        title={`About ${shownName(person)}`}
        onPointerEnter={({ pointerType }) => {
          if (pointerType === 'mouse')
            timer.current = setTimeout(() => popup.current?.showPopover(), REST_MS);
        }}
        onPointerLeave={() => clearTimeout(timer.current)}
        onClick={() => clearTimeout(timer.current)}
        className={className}
      >
        {children}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={`About ${shownName(person)}`}
        onToggle={({ newState }) => {
          setIsOpen(newState === 'open');
          place();
        }}
        className="fixed inset-auto m-0 w-80 max-w-[calc(100vw-1rem)] rounded-lg bg-raised p-4 text-start text-base text-text shadow-high"
      >
        {isOpen && (
          <Suspense fallback={null}>
            <PersonCard person={person} onResize={place} onClose={() => popup.current?.hidePopover()} />
          </Suspense>
        )}
      </div>
    </>
  );
}
