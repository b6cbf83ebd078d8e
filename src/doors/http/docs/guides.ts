/** The Markdown files of the repository that are pages: every one of `docs/` and `docs/operate/` but those for who changes the code. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDERS = ['docs', 'docs/operate'];
/** For who changes the code. */
const LEFT_OUT = ['architecture.md', 'changes.md', 'design.md', 'flow.md'];
/** Files elsewhere, and the path of their page below `/docs`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'sdk/README.md': 'sdk/manual',
  'CHANGELOG.md': 'changelog',
};

export interface Guide {
  /** From the root of the repository. */
  file: string;
  /** Below `/docs`. */
  path: string;
  source: string;
}

export async function readGuides(): Promise<Guide[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder)))
        .filter((name) => name.endsWith('.md') && !LEFT_OUT.includes(name))
        .toSorted()
        .map((name) => `${folder}/${name}`),
    ),
  );
  const files = [...found.flat(), ...Object.keys(ELSEWHERE)];
  return Promise.all(
    files.map(async (file) => ({
      file,
      path: ELSEWHERE[file] ?? file.slice('docs/'.length, -'.md'.length),
      source: await readFile(join(ROOT, file), 'utf8'),
    })),
  );
}
