import { type Editor, mergeAttributes, Node } from '@tiptap/core';

/** The widths that an image can get, in pixels. */
const MIN_WIDTH = 16;
const MAX_WIDTH = 2_000;
/** In mail, an image is never wider than the window. */
const STYLE = 'max-width: 100%; height: auto';

/** An image uploaded to this mailbox. Other images are dropped, so that nothing is fetched from other servers. */
export const InlineImage = Node.create<{ isOwn(src: string): boolean }>({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addOptions: () => ({ isOwn: () => false }),
  addAttributes: () => ({
    src: { default: '' },
    alt: { default: '' },
    width: { default: null, parseHTML: widthOf },
  }),
  parseHTML() {
    return [
      {
        tag: 'img[src]',
        getAttrs: (element) => this.options.isOwn(element.getAttribute('src') ?? '') && null,
      },
    ];
  },
  renderHTML: ({ HTMLAttributes }) => ['img', mergeAttributes({ 'data-style': STYLE }, HTMLAttributes)],
  /** Shows the image with a handle that changes its width. */
  addNodeView:
    () =>
    ({ node, editor, getPos }) => {
      const box = document.createElement('span');
      const image = document.createElement('img');
      const handle = document.createElement('span');
      box.className = 'image-box';
      handle.className = 'image-handle';
      box.append(image, handle);
      const show = ({ src, alt, width }: Record<string, unknown>): void => {
        image.src = String(src);
        image.alt = String(alt);
        if (typeof width === 'number') image.width = width;
        else image.removeAttribute('width');
      };
      show(node.attrs);
      handle.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        const { clientX: startX } = event;
        const { width: startWidth } = image.getBoundingClientRect();
        const sign = getComputedStyle(box).direction === 'rtl' ? -1 : 1;
        handle.setPointerCapture(event.pointerId);
        const move = ({ clientX }: PointerEvent): void => {
          image.width = bounded(startWidth + sign * (clientX - startX));
        };
        const end = (): void => {
          handle.removeEventListener('pointermove', move);
          const at = getPos();
          if (at !== undefined) setWidthAt(editor, at, image.width);
        };
        handle.addEventListener('pointermove', move);
        handle.addEventListener('lostpointercapture', end, { once: true });
      });
      return {
        dom: box,
        stopEvent: ({ target }) => target === handle,
        ignoreMutation: () => true,
        update(next) {
          if (next.type.name !== 'image') return false;
          show(next.attrs);
          return true;
        },
      };
    },
});

const bounded = (width: number) => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

function widthOf(element: HTMLElement): number | null {
  const [, written = ''] = /(?:^|;)\s*width\s*:\s*(\d+)px/.exec(element.dataset['style'] ?? '') ?? [];
  const width = Number.parseInt(element.getAttribute('width') ?? written, 10);
  return width > 0 && !(element.getAttribute('width') ?? '').includes('%') ? bounded(width) : null;
}

function setWidthAt(editor: Editor, at: number, width: number | null): void {
  const { state, view } = editor;
  if (state.doc.nodeAt(at)?.type.name === 'image')
    view.dispatch(state.tr.setNodeAttribute(at, 'width', width));
}

/** Changes the width of the selected image. @param width null for its own width */
export function setImageWidth(editor: Editor, width: number | null): void {
  editor.commands.focus();
  // The change of a single attribute leaves the image selected.
  setWidthAt(editor, editor.state.selection.from, width);
}
