/**
 * Files that pdf.js loads while it reads a PDF: character maps and image decoders. pdf.js refers to the files by name,
 * so they keep their names, in a folder named after the version of pdf.js.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const PACKAGE = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
const ADDRESS = `assets/pdf-${version}/`;

/**
 * The names of the files below `ADDRESS`, and their paths. The pages' policy forbids WebAssembly, so the decoders are
 * the ones written in JavaScript.
 */
function pdfFiles(): [name: string, path: string][] {
  const named = (folder: string, ending: string): [string, string][] =>
    readdirSync(join(dirname(PACKAGE), folder))
      .filter((name) => name.endsWith(ending))
      .map((name) => [name, join(dirname(PACKAGE), folder, name)]);
  return [...named('cmaps', '.bcmap'), ...named('wasm', '_nowasm_fallback.js')];
}

export function pdfFilesPlugin(): Plugin {
  return {
    name: 'pdf-files',
    generateBundle() {
      for (const [name, path] of pdfFiles())
        this.emitFile({ type: 'asset', fileName: `${ADDRESS}${name}`, source: readFileSync(path) });
    },
    configureServer({ config, middlewares }) {
      const files = new Map(pdfFiles());
      middlewares.use(`${config.base}${ADDRESS}`, ({ url = '' }, response, next) => {
        const path = files.get(url.replace(/^\//, ''));
        if (path === undefined) return next();
        if (path.endsWith('.js')) response.setHeader('content-type', 'text/javascript');
        response.end(readFileSync(path));
      });
    },
  };
}
