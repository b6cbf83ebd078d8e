import { useEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { CheckIcon, CloseIcon, WarningIcon } from './icons.tsx';

interface Message {
  id: number;
  title: string;
  isFailure: boolean;
}

const SHOWN_MS = 5_000;
const FAILURE_MS = 12_000;
const MAX_SHOWN = 3;

let count = 0;
let show: ((message: Message) => void) | null = null;

/** What happened, in a short sentence; it goes by itself. */
export function toast(title: string): void {
  show?.({ id: ++count, title, isFailure: false });
}

/** What did not happen. Screen readers say it at once. */
export function toastFailure(title: string): void {
  show?.({ id: ++count, title, isFailure: true });
}

/** Where toasts are shown: once, beside everything. */
export function Toasts() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    show = (message) => {
      setMessages((shown) => [...shown, message].slice(-MAX_SHOWN));
      // Again, so that it is above what was shown since.
      area.current?.hidePopover();
      area.current?.showPopover();
    };
    return () => {
      show = null;
    };
  }, []);
  const dismiss = (id: number) => setMessages((shown) => shown.filter((message) => message.id !== id));
  return (
    <div
      ref={area}
      popover="manual"
      className="pointer-events-none fixed inset-auto right-4 bottom-4 left-4 m-0 w-auto overflow-visible bg-transparent p-0 text-text sm:left-auto sm:w-88"
    >
      <div role="status" className="grid gap-2">
        {messages.map((message) => (
          <Toast key={message.id} message={message} onDismiss={() => dismiss(message.id)} />
        ))}
      </div>
    </div>
  );
}

function Toast({ message: { title, isFailure }, onDismiss }: { message: Message; onDismiss(): void }) {
  const [isHeld, setIsHeld] = useState(false);
  const dismiss = useRef(onDismiss);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => dismiss.current(), isFailure ? FAILURE_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, isFailure]);
  return (
    <div
      role={isFailure ? 'alert' : undefined}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      className="pointer-events-auto flex items-start gap-2.5 rounded-lg bg-raised py-2.5 pr-1.5 pl-3.5 shadow-high transition-[opacity,translate] duration-200 ease-out starting:translate-y-2 starting:opacity-0"
    >
      {isFailure ? (
        <WarningIcon className="mt-[3px] text-bad" />
      ) : (
        <CheckIcon className="mt-[3px] text-good" />
      )}
      <p className="min-w-0 flex-1">{title}</p>
      <IconButton label="Dismiss" className="-my-1" onClick={onDismiss}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
