import { useEffect, useRef, useState } from 'react';
import { counted } from '../../../../ui/amounts.ts';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { MAX_PDF_PAGES, openPdf, type Pdf, type PdfFault } from './open-pdf.ts';

const FAULTS: Readonly<Record<PdfFault, string>> = {
  password: 'This PDF is password-protected. Download it and open it in another app.',
  broken: 'This PDF could not be opened. Download it and try another app.',
  slow: 'This PDF takes too long to load. Download it and open it in another app.',
  missing: 'The file could not be loaded. Close this and try again.',
};
/** The shape of A4, used until the shape of the page is known. */
const USUAL_SHAPE = 210 / 297;

interface PdfPreviewProps {
  url: string;
  name: string;
  /** 1: a page is as wide as the window, or as paper. */
  zoom: number;
}

/** The pages of a PDF as pictures, each drawn when it scrolls into view. */
export default function PdfPreview({ url, name, zoom }: PdfPreviewProps) {
  const [pdf, setPdf] = useState<Pdf | PdfFault | null>(null);
  useEffect(() => {
    let isOver = false;
    const opening = openPdf(url).then((opened) => {
      if (!isOver) setPdf(opened);
      return opened;
    });
    return () => {
      isOver = true;
      void opening.then((opened) => typeof opened === 'object' && opened.close());
    };
  }, [url]);
  if (pdf === null) return <Skeleton className="h-full" />;
  if (typeof pdf === 'string')
    return (
      <p role="alert" className="p-8 text-center">
        {FAULTS[pdf]}
      </p>
    );
  const shown = Math.min(pdf.pageCount, MAX_PDF_PAGES);
  return (
    <section
      aria-label={`${name}, ${counted(pdf.pageCount, 'page')}`}
      // The tab stop lets users scroll the pages with the keyboard.
      tabIndex={0}
      className="grid h-full gap-3 overflow-auto p-3"
    >
      {Array.from({ length: shown }, (_, index) => (
        <Page key={`${index} ${zoom}`} pdf={pdf} page={index + 1} zoom={zoom} />
      ))}
      {shown < pdf.pageCount && (
        <p className="text-center text-sm text-muted">
          Showing the first {shown} of {pdf.pageCount} pages. Download the file to see all of them.
        </p>
      )}
    </section>
  );
}

/** A page of a PDF. Only pages near the view have pixels, because all pages of a long file would need gigabytes. */
function Page({ pdf, page, zoom }: { pdf: Pdf; page: number; zoom: number }) {
  const frame = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isNear, setNear] = useState(false);
  const [shape, setShape] = useState(USUAL_SHAPE);
  const [text, setText] = useState('');
  const [isFaulty, setFaulty] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true), {
      root: element.parentElement,
      rootMargin: '100%',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (!isNear || element === null) return;
    let isOver = false;
    const draw = async () => {
      const found = await pdf.shapeOf(page);
      if (isOver) return;
      if (found === null) return setFaulty(true);
      setShape(found);
      const drawn = await pdf
        .draw(page, element, element.clientWidth * Math.min(2, devicePixelRatio))
        .catch(() => null);
      if (isOver) return;
      if (drawn === null) setFaulty(true);
      else setText(drawn);
    };
    void draw();
    return () => {
      isOver = true;
    };
  }, [pdf, page, isNear]);
  return (
    <figure
      ref={frame}
      className="mx-auto"
      style={{ width: `calc(min(100%, 48rem) * ${zoom})` }}
      aria-label={`Page ${page}`}
    >
      {isFaulty ? (
        <p className="p-6 text-center text-sm text-muted">Page {page} could not be displayed.</p>
      ) : (
        <div className="w-full bg-white shadow-sm" style={{ aspectRatio: shape }}>
          {isNear && <canvas ref={canvas} className="h-full w-full" />}
        </div>
      )}
      <figcaption className="sr-only">{text}</figcaption>
    </figure>
  );
}
