/** Starts a real Chromium from an npm package, which needs no installation and no network. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packed, { inflate } from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { madeOnce } from './made-once.ts';
import { SHARED } from './shared.ts';

/** The user agent of a desktop Chrome. By default headless Chromium identifies itself as headless. */
export const PERSONS_USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** The reason for skipping tests that need the browser on this machine; false if these tests run. */
export const NO_BROWSER = process.arch === 'x64' ? false : 'the package has no Chromium for this processor';

/** The factor by which the processor of each page is slowed down, to reveal race conditions. */
const SLOWDOWN = Number(process.env['TEST_BROWSER_SLOWDOWN'] ?? 1);

const PROGRAM = 'chromium';
const LAUNCH_MS = 120_000;
/** The time limit for elements to appear. They usually appear at once; a busy machine may be ten times slower. */
const PATIENCE_MS = 60_000;

export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
}

const leaseBrowser = SHARED.share(launch);

/** A browser that the test files of a process share. Disposing of the result closes the contexts that were created since this call. */
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
 * The npm package contains the libraries and fonts of the browser, so that it runs on every machine and pages look the same everywhere. The
 * browser is unpacked once per run, because unpacking 200 MB takes three seconds of processor time.
 */
async function launch(): Promise<TestBrowser> {
  // Use a new folder for each browser, because another user could own a shared folder.
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
        // Without a UTF-8 locale, Chromium removes non-ASCII characters from names of downloaded files.
        LC_ALL: 'C.UTF-8',
      },
      // The sandbox does not work as root or in many containers. It is not needed, because the pages are our own.
      chromiumSandbox: false,
      // Several browsers may start at once on few cores.
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
 * Ignores errors of `page.route` handlers while a context closes: a request that the test answers itself may still be in progress, and the
 * answer fails because the page is closed.
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
    // Ignore the error if the page is already closed.
    slow().catch(() => {});
  });
}

async function unpackInto(folder: string): Promise<void> {
  const libraries = fileURLToPath(
    new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')),
  );
  const { TMPDIR: before } = process.env;
  // The package unpacks to TMPDIR. It reads the variable during these calls, so TMPDIR can be restored afterwards.
  process.env['TMPDIR'] = folder;
  const unpacking = [packed.executablePath(), inflate(libraries)] as const;
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  const [executablePath] = await Promise.all(unpacking);
  assert.equal(executablePath, join(folder, PROGRAM));
}
