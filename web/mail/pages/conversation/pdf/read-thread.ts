/** The worker thread that parses the bytes of a PDF. The imported module starts listening when it is loaded. */
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
