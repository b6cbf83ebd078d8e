/** A real Chromium out of an npm package, for tests: nothing to install, and it works without a network. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packed, { inflate } from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { madeOnce } from './made-once.ts';
import { SHARED } from './shared.ts';

/** What Chrome says of itself where a person sits in front of it; without this a headless one says that it is that. */
export const PERSONS_USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Why a test that needs the browser is skipped here; false where it runs. */
export const NO_BROWSER = process.arch === 'x64' ? false : 'the package has no Chromium for this processor';

/** How many times slower than it is the processor of each page shall be: what depends on the order of things comes to light. */
const SLOWDOWN = Number(process.env['TEST_BROWSER_SLOWDOWN'] ?? 1);

const PROGRAM = 'chromium';
const LAUNCH_MS = 120_000;
/** What is waited for is there at once; for a machine ten times slower, and others beside it, this is enough. */
const PATIENCE_MS = 60_000;

export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
}

const leaseBrowser = SHARED.share(launch);

/** A browser that the files of a process share. Disposing closes the contexts that were made meanwhile. */
export async function startBrowser(): Promise<TestBrowser> {
  const lease = await leaseBrowser();
  const { browser } = lease.thing;
  const others = new Set(browser.contexts());
  return {
    browser,
    async [Symbol.asyncDispose]() {
      const made = browser.contexts().filter((context) => !others.has(context));
      await Promise.all(made.map((context) => context.close()));
      await lease[Symbol.asyncDispose]();
    },
  };
}

/**
 * The browser comes with its libraries and fonts, so that a machine needs none of them and pages look the same on each. To
 * unpack them, 200 MB, takes three seconds of processor: that is done once for a run.
 */
async function launch(): Promise<TestBrowser> {
  // A folder of its own: one that is shared could be another user's.
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-browser-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const unpacked = (await madeOnce('browser', unpackInto)) ?? folder;
    if (unpacked === folder) await unpackInto(folder);
    const fonts = join(folder, 'fonts.conf');
    writeFileSync(fonts, `<fontconfig><dir>${join(unpacked, 'fonts')}</dir></fontconfig>`);
    const browser = await chromium.launch({
      executablePath: join(unpacked, PROGRAM),
      env: {
        ...process.env,
        LD_LIBRARY_PATH: join(unpacked, 'al2023/lib'),
        FONTCONFIG_FILE: fonts,
        XDG_CACHE_HOME: folder,
        // Without one, it names no file that is downloaded by more than ASCII.
        LC_ALL: 'C.UTF-8',
      },
      // Which root cannot have, and containers often lack: the pages are ours.
      chromiumSandbox: false,
      // Several begin at once where cores are few.
      timeout: LAUNCH_MS,
    });
    browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
    browser.on('context', answerNoMoreWhenClosed);
    if (SLOWDOWN > 1) browser.on('context', slowDown);
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * A request that a test answers in place of the service (`page.route`) may still be on its way when the test closes the
 * context. It needs no answer any more: that there is nobody to give it to is no failure.
 */
function answerNoMoreWhenClosed(context: BrowserContext): void {
  const close = context.close.bind(context);
  context.close = async (options) => {
    for (const each of [context, ...context.pages()]) await each.unrouteAll({ behavior: 'ignoreErrors' });
    await close(options);
  };
}

function slowDown(context: BrowserContext): void {
  context.on('page', (page) => {
    const slow = async (): Promise<void> => {
      const devTools = await context.newCDPSession(page);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    };
    // A page that is closed at once needs it no more.
    slow().catch(() => {});
  });
}

async function unpackInto(folder: string): Promise<void> {
  const libraries = fileURLToPath(
    new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')),
  );
  const { TMPDIR: before } = process.env;
  // The package unpacks into the folder for temporary files, and asks which that is before its calls return.
  process.env['TMPDIR'] = folder;
  const unpacking = [packed.executablePath(), inflate(libraries)] as const;
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  const [executablePath] = await Promise.all(unpacking);
  assert.equal(executablePath, join(folder, PROGRAM));
}
