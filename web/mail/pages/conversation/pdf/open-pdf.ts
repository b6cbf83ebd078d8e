/**
 * Draws a PDF. One worker thread parses the bytes and another draws the pixels. Scripts in the PDF do not run, URLs in
 * the PDF are not fetched, and links and forms cannot be used (docs/decisions/0085-messages-shown-safely.md).
 */
import {
  getDocument,
  GlobalWorkerOptions,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
  version,
} from 'pdfjs-dist/legacy/build/pdf.mjs';

const FILES = `/mail/assets/pdf-${version}/`;
export const MAX_PDF_PAGES = 50;
/** Attack: an image that exhausts memory. Larger images are not decoded. */
const MAX_IMAGE_PIXELS = 50_000_000;
const MAX_PAGE_PIXELS = 6_000_000;
const MAX_TEXT = 20_000;
const OPEN_MS = 20_000;
const DRAW_MS = 20_000;

export type PdfFault = 'password' | 'broken' | 'slow' | 'missing';

export interface Pdf {
  pageCount: number;
  /** @returns the ratio of width to height, known before the page is drawn. Null if the page cannot be read. */
  shapeOf(page: number): Promise<number | null>;
  /** @returns the text of the page, for screen readers */
  draw(page: number, canvas: HTMLCanvasElement, widthPx: number): Promise<string>;
  close(): void;
}

/** @param url the URL of the file */
export async function openPdf(url: string): Promise<Pdf | PdfFault> {
  const response = await fetch(url).catch(() => null);
  if (response === null || !response.ok) return 'missing';
  const data = await response.arrayBuffer().catch(() => null);
  if (data === null) return 'missing';
  const reader = new Worker(new URL('read-thread.ts', import.meta.url), { type: 'module' });
  const renderer = new Worker(new URL('draw-thread.ts', import.meta.url), { type: 'module' });
  GlobalWorkerOptions.workerPort = reader;
  GlobalWorkerOptions.rendererPorts = [renderer];
  const loading = getDocument({
    data,
    cMapUrl: FILES,
    wasmUrl: FILES,
    useWasm: false,
    useWorkerFetch: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    enableXfa: false,
    verbosity: 0,
  });
  const close = () => {
    void loading.destroy().catch(() => {});
    reader.terminate();
    renderer.terminate();
  };
  try {
    const opened = await within(loading.promise, OPEN_MS);
    if (opened !== null) return pagesOf(opened, close);
    close();
    return 'slow';
  } catch (error) {
    close();
    return error instanceof PasswordException ? 'password' : 'broken';
  }
}

function pagesOf(opened: PDFDocumentProxy, close: () => void): Pdf {
  return {
    pageCount: opened.numPages,
    async shapeOf(page) {
      const read = await within(opened.getPage(page), DRAW_MS).catch(() => null);
      if (read === null) return null;
      const { width, height } = read.getViewport({ scale: 1 });
      return width > 0 && height > 0 ? width / height : null;
    },
    async draw(page, canvas, widthPx) {
      const read = await opened.getPage(page);
      const { width, height } = read.getViewport({ scale: 1 });
      const scale = Math.min(widthPx / width, Math.sqrt(MAX_PAGE_PIXELS / (width * height)));
      const viewport = read.getViewport({ scale });
      [canvas.width, canvas.height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
      const drawing = read.render({ canvas, viewport });
      // The promise also settles after a cancellation.
      const isDrawn = await within(
        drawing.promise.then(() => true),
        DRAW_MS,
      );
      if (isDrawn === null) {
        drawing.cancel();
        throw new Error('Drawing takes too long.');
      }
      const text = await textOf(read);
      // Release the decoded images of the page.
      read.cleanup();
      return text;
    },
    close,
  };
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const content = await within(page.getTextContent(), DRAW_MS).catch(() => null);
  const words = content?.items.map((item) => ('str' in item ? item.str : '')) ?? [];
  return words.join(' ').slice(0, MAX_TEXT);
}

/** Limits the time of a promise. @returns null on a timeout; a later result is ignored */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
