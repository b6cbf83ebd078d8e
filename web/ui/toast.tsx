import { useEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { CheckIcon, CloseIcon, WarningIcon } from './icons.tsx';

/** An action in a toast, such as undo: a verb and a function. */
export interface ToastAction {
  label: string;
  run(): void;
}

export interface ToastOptions {
  action?: ToastAction;
  /** How long the message is shown, in ms. By default 5 seconds, or 10 seconds for a message with an action. */
  shownMs?: number;
}

interface Message {
  id: number;
  title: string;
  isFailure: boolean;
  shownMs: number;
  action: ToastAction | undefined;
}

const SHOWN_MS = 5_000;
/** How long a message with an action is shown: long enough to read the message and undo the action. */
const ACTION_MS = 10_000;
const FAILURE_MS = 12_000;
const MAX_SHOWN = 3;

let count = 0;
let show: ((message: Message) => void) | null = null;
let dismiss: (id: number) => void = () => {};

/** Shows a short message that disappears by itself. @returns a function that hides the message earlier */
export function toast(title: string, { action, shownMs }: ToastOptions = {}): () => void {
  const id = ++count;
  show?.({
    id,
    title,
    isFailure: false,
    action,
    shownMs: shownMs ?? (action === undefined ? SHOWN_MS : ACTION_MS),
  });
  return () => dismiss(id);
}

/** Shows a failure, which screen readers announce immediately. */
export function toastFailure(title: string): void {
  show?.({ id: ++count, title, isFailure: true, shownMs: FAILURE_MS, action: undefined });
}

/** The area for toasts. Render this component once per application. */
export function Toasts() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    show = (message) => {
      setMessages((shown) => [...shown, message].slice(-MAX_SHOWN));
      // Hide and show the area, so that the area is above popovers that were opened in the meantime.
      area.current?.hidePopover();
      area.current?.showPopover();
    };
    dismiss = (id) => setMessages((shown) => shown.filter((message) => message.id !== id));
    return () => {
      show = null;
    };
  }, []);
  return (
    <div
      ref={area}
      popover="manual"
      className="pointer-events-none fixed inset-auto start-4 end-4 bottom-4 m-0 w-auto overflow-visible bg-transparent p-0 text-text sm:end-auto sm:w-88"
    >
      <div role="status" className="grid gap-2">
        {messages.map((message) => (
          <Toast key={message.id} message={message} onDismiss={() => dismiss(message.id)} />
        ))}
      </div>
    </div>
  );
}

interface ToastProps {
  message: Message;
  onDismiss(): void;
}

function Toast({ message: { title, isFailure, action, shownMs }, onDismiss }: ToastProps) {
  const [isPaused, setIsPaused] = useState(false);
  const end = useRef(onDismiss);
  useEffect(() => {
    if (isPaused) return undefined;
    const timer = setTimeout(() => end.current(), shownMs);
    return () => clearTimeout(timer);
  }, [isPaused, shownMs]);
  return (
    <div
      role={isFailure ? 'alert' : undefined}
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
      className="pointer-events-auto flex items-start gap-2.5 rounded-lg bg-raised py-2.5 pr-1.5 pl-3.5 shadow-high transition-[opacity,translate] duration-200 ease-out starting:translate-y-2 starting:opacity-0"
    >
      {isFailure ? (
        <WarningIcon className="mt-[3px] text-bad" />
      ) : (
        <CheckIcon className="mt-[3px] text-good" />
      )}
      <p className="min-w-0 flex-1">{title}</p>
      {action !== undefined && (
        <button
          type="button"
          className="px-1 font-medium text-accent hover:underline"
          onFocus={() => setIsPaused(true)}
          onClick={() => {
            onDismiss();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton label="Dismiss" className="-my-1" onClick={onDismiss}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
