import { type DragEvent, useEffect, useRef, useState } from 'react';
import { classes } from '../../../ui/classes.ts';
import { AttachIcon, ImageIcon } from '../../../ui/compose-icons.tsx';
import { isPicture } from './files.ts';

export interface DropZoneProps {
  /** Whether images can be inserted into the text. */
  takesImages: boolean;
  onFiles(files: File[], areInline: boolean): void;
}

const hasFiles = (transfer: DataTransfer | null) => transfer?.types.includes('Files') === true;

/** The drop zone, which covers the whole window while files are dragged over it. */
export function DropZone({ takesImages, onFiles }: DropZoneProps) {
  const [dragged, setDragged] = useState<'files' | 'images' | null>(null);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onEnter = (event: globalThis.DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return;
      const items = [...(event.dataTransfer?.items ?? [])];
      const areImages = items.length > 0 && items.every(({ type }) => isPicture(type));
      setDragged(areImages ? 'images' : 'files');
    };
    // Without this handler, the browser would leave the page and open a file that is dropped outside the zone.
    const onOver = (event: globalThis.DragEvent): void => {
      if (hasFiles(event.dataTransfer)) event.preventDefault();
    };
    const onDrop = (event: globalThis.DragEvent): void => {
      if (hasFiles(event.dataTransfer)) event.preventDefault();
      setDragged(null);
    };
    const onLeave = (event: globalThis.DragEvent): void => {
      if (event.relatedTarget === null) setDragged(null);
    };
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    window.addEventListener('dragleave', onLeave);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
      window.removeEventListener('dragleave', onLeave);
    };
  }, []);
  // Use a popover, because only a popover is shown above an open dialog as well.
  useEffect(() => {
    if (dragged !== null) area.current?.showPopover();
  }, [dragged]);
  if (dragged === null) return null;
  const drop = (areInline: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setDragged(null);
    onFiles([...event.dataTransfer.files], areInline);
  };
  return (
    <div
      ref={area}
      popover="manual"
      className="fixed inset-0 m-0 flex size-full flex-col gap-3 border-0 bg-veil p-4 text-text sm:flex-row"
    >
      <Target icon={<AttachIcon />} onDrop={drop(false)}>
        Drop files to attach
      </Target>
      {dragged === 'images' && takesImages && (
        <Target icon={<ImageIcon />} onDrop={drop(true)}>
          Drop images to insert into the text
        </Target>
      )}
    </div>
  );
}

function Target({
  icon,
  onDrop,
  children,
}: {
  icon: React.ReactNode;
  onDrop(event: DragEvent): void;
  children: string;
}) {
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      onDragEnter={() => setIsOver(true)}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
      className={classes(
        'flex flex-1 items-center justify-center gap-2 rounded-lg border-2 border-dashed bg-raised text-lg font-medium *:pointer-events-none',
        isOver ? 'border-accent text-accent' : 'border-edge text-muted',
      )}
    >
      {icon}
      <span>{children}</span>
    </div>
  );
}
