/** The worker thread that draws the pages of a PDF. The imported module starts listening when it is loaded. */
import 'pdfjs-dist/legacy/build/pdf.renderer.mjs';
