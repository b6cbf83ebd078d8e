/** Reads the bytes of a PDF. It listens by itself once it is loaded. */
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
