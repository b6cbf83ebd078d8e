import { type KeyboardEvent, type PointerEvent, Suspense, useRef, useState } from 'react';
import { lazyPart } from '../../../../shell/code.ts';
import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { bytes, number } from '../../../../ui/amounts.ts';
import { buttonClass, IconButton } from '../../../../ui/button.tsx';
import { classes } from '../../../../ui/classes.ts';
import {
  ChevronLeftIcon,
  ChevronRightIcon,
  CloseIcon,
  DownloadIcon,
  icon,
  PlusIcon,
} from '../../../../ui/icons.tsx';
import { Modal } from '../../../../ui/modal.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { messageUrl } from '../message-url.ts';
import { GalleryImage } from './gallery-image.tsx';
import { useGallery } from './use-gallery.ts';

const PdfPreview = lazyPart(() => import('../pdf/pdf-preview.tsx'));
const MinusIcon = icon(<path d="M3 8h10" />);

/** A disabled button would lose the focus, and with it the keys. */
const FADES = 'aria-disabled:opacity-55';
const ZOOMS = [1, 1.5, 2, 3, 4] as const;
/** The distance in pixels that a finger must move for the next file to be shown. */
const SWIPE_PX = 60;

interface GalleryProps {
  message: MailMessage;
  /** The part that is shown first. */
  start: string;
  onClose(): void;
}

/** The images and PDFs of a conversation, one at a time. Users change the file with the arrow keys, the buttons or a swipe. */
export default function Gallery({ message, start, onClose }: GalleryProps) {
  const { mailbox } = useMailbox();
  const items = useGallery(message);
  const [shown, setShown] = useState({ message: message.id, part: start });
  const [zoom, setZoom] = useState(0);
  const finger = useRef<{ x: number; y: number } | null>(null);
  const at = items.findIndex((item) => item.message === shown.message && item.file.part === shown.part);
  const item = items[at];
  const go = (by: number) => {
    const next = items[at + by];
    if (next === undefined) return;
    setShown({ message: next.message, part: next.file.part });
    setZoom(0);
  };
  const zoomBy = (by: number) => setZoom(Math.max(0, Math.min(ZOOMS.length - 1, zoom + by)));
  const onKeyDown = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent) => {
    if (altKey || ctrlKey || metaKey) return;
    // The arrow keys scroll an enlarged file.
    if (key === 'ArrowLeft' && zoom === 0) go(-1);
    else if (key === 'ArrowRight' && zoom === 0) go(1);
    else if (key === '+' || key === '=') zoomBy(1);
    else if (key === '-') zoomBy(-1);
    else if (key === '0') setZoom(0);
  };
  const onPointerUp = ({ clientX, clientY }: PointerEvent) => {
    const from = finger.current;
    finger.current = null;
    const moved = from === null ? 0 : clientX - from.x;
    if (from === null || Math.abs(moved) < SWIPE_PX || Math.abs(clientY - from.y) > Math.abs(moved)) return;
    go(moved < 0 ? 1 : -1);
  };
  if (item === undefined) return null;
  const { file } = item;
  const url = messageUrl(mailbox, item.message, `parts/${file.part}`);
  return (
    <Modal
      onClose={onClose}
      aria-label={file.name}
      onKeyDown={onKeyDown}
      className="fixed inset-0 h-dvh w-dvw bg-page"
    >
      <div className="flex h-full flex-col">
        <header className="flex items-center gap-1 border-b border-line px-3 py-2 sm:px-4">
          <div className="min-w-0 flex-1">
            <h2 tabIndex={-1} title={file.name} className="truncate text-base font-medium outline-none">
              <bdi>{file.name}</bdi>
            </h2>
            <p aria-live="polite" className="truncate text-xs text-muted">
              {items.length > 1 && `${number(at + 1)} of ${number(items.length)} · `}
              {bytes(file.octets)}
            </p>
          </div>
          <IconButton
            label="Zoom out (-)"
            aria-disabled={zoom === 0}
            className={FADES}
            onClick={() => zoomBy(-1)}
          >
            <MinusIcon />
          </IconButton>
          <IconButton
            label="Zoom in (+)"
            aria-disabled={zoom === ZOOMS.length - 1}
            className={FADES}
            onClick={() => zoomBy(1)}
          >
            <PlusIcon />
          </IconButton>
          <a
            href={url}
            download
            title="Download"
            className={buttonClass('quiet', 'w-9 px-0 max-sm:h-9 sm:w-8')}
          >
            <DownloadIcon />
            <span className="sr-only">Download</span>
          </a>
          <IconButton label="Close" onClick={onClose}>
            <CloseIcon />
          </IconButton>
        </header>
        <div
          className={classes('relative min-h-0 flex-1 bg-sunken', zoom === 0 && 'touch-pan-y')}
          onPointerDown={({ pointerType, isPrimary, clientX, clientY }) => {
            finger.current =
              pointerType === 'touch' && isPrimary && zoom === 0 ? { x: clientX, y: clientY } : null;
          }}
          onPointerUp={onPointerUp}
          onPointerCancel={() => {
            finger.current = null;
          }}
        >
          {file.preview === 'pdf' ? (
            <Suspense fallback={<Skeleton className="h-full" />}>
              <PdfPreview key={url} url={url} name={file.name} zoom={ZOOMS[zoom] ?? 1} />
            </Suspense>
          ) : (
            <GalleryImage key={url} url={`${url}/preview`} name={file.name} zoom={ZOOMS[zoom] ?? 1} />
          )}
          {items.length > 1 && (
            <>
              <Step label="Previous file (←)" className="start-2" isOver={at === 0} onClick={() => go(-1)}>
                <ChevronLeftIcon className="rtl:-scale-x-100" />
              </Step>
              <Step
                label="Next file (→)"
                className="end-2"
                isOver={at === items.length - 1}
                onClick={() => go(1)}
              >
                <ChevronRightIcon className="rtl:-scale-x-100" />
              </Step>
            </>
          )}
        </div>
      </div>
    </Modal>
  );
}

interface StepProps {
  label: string;
  className: string;
  /** Whether there is no further file on this side. */
  isOver: boolean;
  onClick(): void;
  children: React.ReactNode;
}

function Step({ label, className, isOver, onClick, children }: StepProps) {
  return (
    <IconButton
      label={label}
      kind="secondary"
      aria-disabled={isOver}
      onClick={onClick}
      className={classes(FADES, 'absolute top-1/2 -translate-y-1/2 shadow-high', className)}
    >
      {children}
    </IconButton>
  );
}
