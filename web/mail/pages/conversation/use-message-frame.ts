/** The height of a message, which the script in its frame reports (src/webmail/read/html/frame-script.js). */
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Taller messages scroll in their frame until the user asks for all of it. */
const MAX_PX = 20_000;
const MAX_WHOLE_PX = 200_000;
const LEAST_PX = 24;
const PAUSE_MS = 250;
/** Attack: a message that grows whenever its frame grows. After so many changes at one width, it scrolls in its frame. */
const MAX_CHANGES = 60;
const MAX_REMEMBERED = 200;

/** The last heights of messages, so that an open message has its height at once. */
const remembered = new Map<string, number>();

interface Reported {
  /** The height of the content in pixels. */
  height: number;
  /** The scale of content that is wider than the frame; otherwise 1. */
  zoom: number;
  /** The width of the frame, in pixels. */
  width: number;
}

export interface MessageFrame {
  /** The height of the frame; null until the frame has reported it. */
  height: number | null;
  zoom: number;
  /** Whether the message is too tall to be shown in whole at first. */
  isCut: boolean;
}

interface FrameOptions {
  /** Identifies the content of the frame. */
  key: string;
  /** Whether content that is wider than the frame is scaled to the width of the frame. */
  fits: boolean;
  /** Whether the user asked for all of a very tall message. */
  isWhole: boolean;
}

/** All data from the frame is untrusted. */
export function useMessageFrame(
  frame: RefObject<HTMLIFrameElement | null>,
  { key, fits, isWhole }: FrameOptions,
): MessageFrame {
  const [reported, setReported] = useState<Pick<Reported, 'height' | 'zoom'> | null>(null);
  const port = useRef<MessagePort | null>(null);
  const settings = useRef({ fits, isWhole });
  useEffect(() => {
    settings.current = { fits, isWhole };
    port.current?.postMessage({ fits, scrolls: false });
  }, [fits, isWhole]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = Number.NEGATIVE_INFINITY;
    let changes = 0;
    let width = 0;
    const show = (report: Reported): void => {
      clearTimeout(timer);
      if (report.width !== width) changes = 0;
      width = report.width;
      const waitMs = Math.ceil(shownAt + PAUSE_MS - performance.now());
      if (waitMs > 0) {
        timer = setTimeout(show, waitMs, report);
        return;
      }
      shownAt = performance.now();
      const isFeedback = ++changes > MAX_CHANGES;
      const most = settings.current.isWhole ? MAX_WHOLE_PX : MAX_PX;
      if (isFeedback || report.height > most)
        port.current?.postMessage({ fits: settings.current.fits, scrolls: true });
      if (!isFeedback) setReported(report);
    };
    const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
      const content = frame.current?.contentWindow;
      if (content == null || source !== content || data !== 'ready') return;
      const channel = new MessageChannel();
      port.current?.close();
      port.current = channel.port1;
      shownAt = Number.NEGATIVE_INFINITY;
      channel.port1.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (frame.current !== null) receive(frame.current, event.data, show);
      });
      channel.port1.start();
      content.postMessage('', '*', [channel.port2]);
      if (!settings.current.fits) channel.port1.postMessage({ fits: false, scrolls: false });
    };
    window.addEventListener('message', onMessage);
    return () => {
      window.removeEventListener('message', onMessage);
      clearTimeout(timer);
      port.current?.close();
      port.current = null;
    };
  }, [frame]);

  const most = isWhole ? MAX_WHOLE_PX : MAX_PX;
  useEffect(() => {
    if (reported !== null) remember(key, reported.height);
  }, [key, reported]);
  const height = reported?.height ?? remembered.get(key) ?? null;
  return {
    height: height === null ? null : Math.max(LEAST_PX, Math.min(most, height)),
    zoom: reported?.zoom ?? 1,
    isCut: height !== null && height > MAX_PX && !isWhole,
  };
}

function receive(frame: HTMLIFrameElement, data: unknown, show: (report: Reported) => void): void {
  if (typeof data !== 'object' || data === null) return;
  const { height, zoom, width, key, top } = data as Partial<Record<string, unknown>>;
  if (isLength(height) && isLength(zoom) && isLength(width)) show({ height, zoom: Math.min(1, zoom), width });
  else if (typeof key === 'string') press(frame, key);
  else if (typeof top === 'number' && Number.isFinite(top)) scrollTo(frame, top);
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Hands a key that was pressed in the frame to the shortcuts of the page. */
function press(frame: HTMLIFrameElement, key: string): void {
  if (document.activeElement === frame)
    frame.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** @param top the position in the message to scroll to, in pixels */
function scrollTo(frame: HTMLIFrameElement, top: number): void {
  const page = frame.closest('[data-conversation]');
  page?.scrollBy({ top: frame.getBoundingClientRect().top - page.getBoundingClientRect().top + top });
}

function remember(key: string, height: number): void {
  remembered.delete(key);
  remembered.set(key, height);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}
